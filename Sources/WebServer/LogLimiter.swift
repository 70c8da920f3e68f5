// SPDX-License-Identifier: Apache-2.0

/// Holds back a flood of log lines: an equal line within ten seconds, and more than sixty lines a minute.
///
/// A value; time comes in.
struct LogLimiter {
    private static let equalLineSeconds: UInt64 = 10
    private static let linesPerMinute = 60

    private var lastLine = ""
    private var lastSecond: UInt64 = 0
    private var heldBack = 0
    private var minute: UInt64 = 0
    private var linesThisMinute = 0

    /// The lines to write now: none, the line, or the line after a word on how many were held back.
    mutating func admit(_ raw: String, second: UInt64) -> [String] {
        let line = Self.escaped(raw)
        if second / 60 != self.minute {
            self.minute = second / 60
            self.linesThisMinute = 0
        }
        let isRepeated = line == self.lastLine && second < self.lastSecond + Self.equalLineSeconds
        guard !isRepeated, self.linesThisMinute < Self.linesPerMinute else {
            self.heldBack += 1
            return []
        }
        self.linesThisMinute += 1
        self.lastLine = line
        self.lastSecond = second
        guard self.heldBack > 0 else { return [line] }
        defer { self.heldBack = 0 }
        return ["\(self.heldBack) log lines were held back", line]
    }

    /// Control characters as `\u{…}`, cut at 1,000 characters: one line of the log stays one line.
    static func escaped(_ raw: String) -> String {
        var text = ""
        var scalars = raw.unicodeScalars.prefix(1_000)
        while scalars.last == "\n" { scalars.removeLast() }
        for scalar in scalars {
            if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value) {
                text += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
