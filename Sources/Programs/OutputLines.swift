// SPDX-License-Identifier: Apache-2.0

/// Makes lines of what a program writes, and no more of them than anybody wants to read.
struct OutputLines {
    /// How many lines are told.
    static let maximumLines = 100
    /// How many bytes of each.
    static let maximumBytes = 1000

    /// Whether all is told that will be.
    private(set) var isFull = false
    private var lines = 0
    private var line: [UInt8] = []
    private var isCut = false

    /// Takes in a piece; gives back the lines that it ended.
    mutating func take(_ piece: ArraySlice<UInt8>) -> [String] {
        var told: [String] = []
        for byte in piece where !self.isFull {
            if byte == UInt8(ascii: "\n") {
                told.append(self.endLine())
                guard self.lines < Self.maximumLines else {
                    self.isFull = true
                    told.append("what it writes beyond \(Self.maximumLines) lines is left out")
                    break
                }
            } else if self.line.count < Self.maximumBytes {
                self.line.append(byte)
            } else {
                self.isCut = true
            }
        }
        return told
    }

    /// No more comes: what had no line end is a line all the same.
    mutating func end() -> String? {
        self.isFull || self.line.isEmpty ? nil : self.endLine()
    }

    private mutating func endLine() -> String {
        if self.line.last == UInt8(ascii: "\r") { self.line.removeLast() }
        let text = String(decoding: self.line, as: UTF8.self) + (self.isCut ? "…" : "")
        self.line = []
        self.isCut = false
        self.lines += 1
        return text
    }
}
