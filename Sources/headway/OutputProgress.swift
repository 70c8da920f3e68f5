// SPDX-License-Identifier: Apache-2.0

/// Reads from what a command prints how far it is.
///
/// Bars are drawn over with a carriage return or a backspace, so each of these ends a line here. What is understood: the
/// meter of curl, with its sizes, and `n %` in whatever words (wget, rsync, pip, dd's friends).
struct OutputProgress {
    /// How much of how much; of 100 where only a percentage was told.
    struct Reading: Equatable {
        var done: Int64
        var total: Int64
    }

    /// A line that is longer than this holds no bar.
    private static let longestLine = 4096

    private var line: [UInt8] = []
    private var isOverlong = false

    init() {}

    /// Takes in what was printed; gives back the newest figures in it, if there are any.
    mutating func take(_ bytes: some Sequence<UInt8>) -> Reading? {
        var latest: Reading?
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x08:
                if !self.isOverlong, let reading = Self.read(self.line) { latest = reading }
                self.line.removeAll(keepingCapacity: true)
                self.isOverlong = false
            case _ where self.line.count < Self.longestLine: self.line.append(byte)
            default: self.isOverlong = true
            }
        }
        // A bar that ends without a line's end is there for people to see, so it counts.
        if !self.isOverlong, self.line.contains(UInt8(ascii: "%")), let reading = Self.read(self.line) {
            latest = reading
        }
        return latest
    }

    private static func read(_ line: [UInt8]) -> Reading? {
        Self.meterOfCurl(line) ?? Self.percentage(line)
    }

    /// `45  953M   45  429M    0     0  8032k      0  0:02:01  0:00:53  0:01:08 8400k`.
    private static func meterOfCurl(_ line: [UInt8]) -> Reading? {
        let columns = line.split(separator: UInt8(ascii: " "))
        guard columns.count == 12, columns[8...10].allSatisfy({ $0.contains(UInt8(ascii: ":")) }),
            let total = Self.size(columns[1]), total > 0,
            let received = Self.size(columns[3]), let sent = Self.size(columns[5])
        else { return nil }
        return Reading(done: min(max(received, sent), total), total: total)
    }

    /// The last `n %` or `n.n%` of the line, up to 100.
    private static func percentage(_ line: [UInt8]) -> Reading? {
        var end = line.endIndex
        while let sign = line[..<end].lastIndex(of: UInt8(ascii: "%")) {
            end = sign
            var digits = line[..<sign]
            while digits.last == UInt8(ascii: " ") { digits.removeLast() }
            let start = digits.lastIndex { !Self.isDigit($0) && $0 != UInt8(ascii: ".") }.map { $0 + 1 } ?? 0
            let parts = digits[start...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count <= 2, (1...3).contains(parts[0].count), parts.joined().allSatisfy(Self.isDigit),
                let percent = Int64(String(decoding: parts[0], as: UTF8.self)), percent <= 100
            else { continue }
            return Reading(done: percent, total: 100)
        }
        return nil
    }

    /// `429M`, as curl writes sizes: powers of 1024, perhaps with a fraction.
    private static func size(_ text: ArraySlice<UInt8>) -> Int64? {
        let powers: [UInt8: Double] = [
            UInt8(ascii: "k"): 1024, UInt8(ascii: "M"): 0x1p20, UInt8(ascii: "G"): 0x1p30, UInt8(ascii: "T"): 0x1p40,
        ]
        let power = text.last.flatMap { powers[$0] }
        let digits = power == nil ? text : text.dropLast()
        guard digits.allSatisfy({ Self.isDigit($0) || $0 == UInt8(ascii: ".") }), digits.count < 16,
            let number = Double(String(decoding: digits, as: UTF8.self))
        else { return nil }
        return Int64(number * (power ?? 1))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
