// SPDX-License-Identifier: Apache-2.0

/// A point of civil time in UTC, to the millisecond: what the wire writes as RFC 3339.
///
/// It is for people and for logs. Durations come from a monotonic clock and never from the difference of two of these.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public var milliseconds: Int64

    /// Makes the point that lies so many milliseconds after 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Reads `2026-11-30T02:14:51.123Z`: UTC only, any number of decimals of a second (cut to milliseconds).
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard bytes.count >= 20, bytes.count <= 40, bytes.last == UInt8(ascii: "Z"),
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...Self.lastDay(ofMonth: month, year)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if bytes.count > 20 {
            guard bytes[19] == UInt8(ascii: "."), bytes.count > 21, number(20..<(bytes.count - 1)) != nil else {
                return nil
            }
            for place in 0..<3 {
                let byte = 20 + place < bytes.count - 1 ? bytes[20 + place] : UInt8(ascii: "0")
                fraction = fraction * 10 + Int64(byte - UInt8(ascii: "0"))
            }
        }
        let days = Self.days(year: year, month: month, day: day)
        self.milliseconds = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction
    }

    /// Compares by time.
    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    /// Days since 1970 of a date in the proleptic Gregorian calendar.
    ///
    /// The year is counted from March, so that the leap day comes last and the lengths of months follow one linear
    /// formula.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func lastDay(ofMonth month: Int64, _ year: Int64) -> Int64 {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// The date of a day since 1970: the inverse of `days(year:month:day:)`.
    private static func date(ofDay days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 with milliseconds, in UTC.
    public var description: String {
        var bytes: [UInt8] = []
        self.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the 24 characters of RFC 3339 as bytes.
    ///
    /// Years outside 0…9999 are written as the nearest of these.
    func append(to bytes: inout [UInt8]) {
        let limited = min(max(self.milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let day = limited >= 0 ? limited / 86_400_000 : (limited - 86_399_999) / 86_400_000
        let time = limited - day * 86_400_000
        let date = Self.date(ofDay: day)
        func two(_ value: Int64) {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10))
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
        }
        two(date.year / 100)
        two(date.year % 100)
        bytes.append(UInt8(ascii: "-"))
        two(date.month)
        bytes.append(UInt8(ascii: "-"))
        two(date.day)
        bytes.append(UInt8(ascii: "T"))
        two(time / 3_600_000)
        bytes.append(UInt8(ascii: ":"))
        two(time / 60_000 % 60)
        bytes.append(UInt8(ascii: ":"))
        two(time / 1000 % 60)
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: time / 100 % 10))
        two(time % 100)
        bytes.append(UInt8(ascii: "Z"))
    }
}
