// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// The three ways in which HTTP writes a date (RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The point of time; nil for anything else.
    static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        guard text.utf8.count <= 64 else { return nil }
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        let time: (day: String, month: String, year: String, clock: String)
        switch (words.count, text.contains("-")) {
        case (6, false) where words[5] == "GMT": time = (words[1], words[2], words[3], words[4])
        case (6, true) where words[5] == "GMT" && words[3].count == 2:
            time = (words[1], words[2], Self.century(of: words[3], now: now) + words[3], words[4])
        case (5, false): time = (words[2], words[1], words[4], words[3])
        default: return nil
        }
        guard let month = Self.months.firstIndex(of: time.month), time.year.count == 4, time.day.count <= 2 else {
            return nil
        }
        func two(_ text: String) -> String { text.count == 1 ? "0" + text : text }
        let canonical = "\(time.year)-\(two(String(month + 1)))-\(two(time.day))T\(time.clock)"
        guard let point = Timestamp(canonical + "Z"), point.description == canonical + ".000Z" else { return nil }
        return point
    }

    /// The one way in which it is written today: `Mon, 30 Nov 2026 02:14:51 GMT`.
    package static func format(_ time: Timestamp) -> String {
        let words = time.description.utf8.split { !ResponseFacts.isDigit($0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
        let days = time.milliseconds / 86_400_000 - (time.milliseconds % 86_400_000 < 0 ? 1 : 0)
        // 1970 began on a Thursday.
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int((days % 7 + 7) % 7)]
        let month = Self.months[(Int(words[1]) ?? 1) - 1]
        return "\(weekday), \(words[2]) \(month) \(words[0]) \(words[3]):\(words[4]):\(words[5]) GMT"
    }

    /// A year of two digits is the one that is not more than 50 years ahead.
    private static func century(of year: String, now: Timestamp) -> String {
        let current = Int(now.description.prefix(4)) ?? 2000
        let given = Int(year) ?? 0
        let century = current / 100
        return String(century * 100 + given > current + 50 ? century - 1 : century)
    }
}
