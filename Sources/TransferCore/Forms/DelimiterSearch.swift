// SPDX-License-Identifier: Apache-2.0

/// Finds a form's delimiter in a piece, by looking at every n-th pair of bytes where that is enough.
///
/// A pair that is nowhere in the delimiter lets all places that would hold it be passed over; of a chance pair in a file
/// that is nearly always so. Else one byte tells how far to move on (Horspool's way). Candidates are compared from the front. Since a delimiter begins with a CR and holds no other one, stretches that
/// were compared don't overlap: no content makes it slow.
struct DelimiterSearch: Sendable {
    private let pattern: [UInt8]
    /// How far to move on by the byte under the delimiter's end; 0: it may be one.
    private let skips: [UInt8]
    private let lastSkip: Int
    /// A bit for each pair of bytes, the first one being the lower half: whether it is in the pattern.
    private let pairs: [UInt64]

    init(_ pattern: [UInt8]) {
        var pairs = [UInt64](repeating: 0, count: 1_024)
        for (first, second) in zip(pattern, pattern.dropFirst()) {
            pairs[Int(second) << 2 | Int(first) >> 6] |= 1 << UInt64(first & 63)
        }
        self.pairs = pairs
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
        var end = last
        while end < bytes.count {
            // Four steps in one, most of the time: their bytes don't wait for each other to come from memory.
            if end &+ 3 &* last < bytes.count {
                let near = self.holds(bytes, end) | self.holds(bytes, end &+ last)
                let far = self.holds(bytes, end &+ 2 &* last) | self.holds(bytes, end &+ 3 &* last)
                if near | far == 0 {
                    end &+= 4 &* last
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

    /// 1 when the byte at an index and the one before it stand in the pattern side by side.
    @inline(__always)
    private func holds(_ bytes: Span<UInt8>, _ index: Int) -> UInt64 {
        let pair = Int(bytes[index]) << 8 | Int(bytes[index &- 1])
        return self.pairs[pair >> 6] >> UInt64(pair & 63) & 1
    }
}
