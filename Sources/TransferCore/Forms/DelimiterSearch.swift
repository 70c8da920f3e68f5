// SPDX-License-Identifier: Apache-2.0

/// Finds a form's delimiter in a piece, by looking at every n-th byte where that is enough (Horspool's way).
///
/// Candidates are compared from the front. Since a delimiter begins with a CR and holds no other one, stretches that
/// were compared don't overlap: no content makes it slow.
struct DelimiterSearch: Sendable {
    private let pattern: [UInt8]
    /// How far to move on by the byte under the delimiter's end; 0: it may be one.
    private let skips: [UInt8]
    private let lastSkip: Int

    init(_ pattern: [UInt8]) {
        var skips = [UInt8](repeating: UInt8(pattern.count), count: 256)
        for (index, byte) in pattern.dropLast().enumerated() {
            skips[Int(byte)] = UInt8(pattern.count - 1 - index)
        }
        let last = pattern.last.map(Int.init) ?? 0
        self.lastSkip = Int(skips[last])
        skips[last] = 0
        self.pattern = pattern
        self.skips = skips
    }

    /// Where the first one begins and how many of its bytes are there: all, or what stands at the piece's end; else the end and 0.
    func first(in piece: ArraySlice<UInt8>) -> (start: Int, count: Int) {
        let bytes = piece.span
        let pattern = self.pattern.span
        let skips = self.skips.span
        let last = pattern.count - 1
        let whole = pattern.count
        var end = last
        while end < bytes.count {
            // Four steps in one, most of the time: their bytes don't wait for each other to come from memory.
            if end &+ 3 &* whole < bytes.count {
                let near = Int(skips[Int(bytes[end])]) &+ Int(skips[Int(bytes[end &+ whole])])
                let far = Int(skips[Int(bytes[end &+ 2 &* whole])]) &+ Int(skips[Int(bytes[end &+ 3 &* whole])])
                if near &+ far == 4 &* whole {
                    end &+= 4 &* whole
                    continue
                }
            }
            let skip = Int(skips[Int(bytes[end])])
            guard skip == 0 else {
                end += skip
                continue
            }
            let start = end - last
            var matched = 0
            while matched <= last, bytes[start + matched] == pattern[matched] { matched += 1 }
            if matched > last { return (piece.startIndex + start, pattern.count) }
            end += self.lastSkip
        }
        var start = max(end - last, 0)
        while start < bytes.count {
            var matched = 0
            while start + matched < bytes.count, bytes[start + matched] == pattern[matched] { matched += 1 }
            if matched > 0, start + matched == bytes.count { return (piece.startIndex + start, matched) }
            start += 1
        }
        return (piece.endIndex, 0)
    }
}
