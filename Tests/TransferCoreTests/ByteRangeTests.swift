// SPDX-License-Identifier: Apache-2.0

import Testing

import TransferCore

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            (nil, ByteRange.whole), ("bytes=0-0", .part(0..<1)), ("bytes=0-", .part(0..<100)),
            ("bytes=10-19", .part(10..<20)),
            ("bytes=90-200", .part(90..<100)), ("bytes=-10", .part(90..<100)), ("bytes=-200", .part(0..<100)),
            ("bytes=100-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=99999999999999999999-", .unsatisfiable),
            ("bytes=0-1,5-6", .whole), ("bytes=5-1", .whole), ("bytes=a-b", .whole), ("lines=1-2", .whole),
            ("bytes=", .whole), ("bytes=1\u{308}-", .whole), ("bytes=0-1\u{308}", .whole),
            ("bytes=+1-2", .whole), ("bytes=1-99999999999999999999", .part(1..<100)),
        ] as [(String?, ByteRange)]
    )
    func `a range of a file of 100 bytes`(header: String?, right: ByteRange) {
        #expect(ByteRange(header, size: 100) == right)
    }

    @Test func `an empty file has no range`() {
        #expect(ByteRange("bytes=0-", size: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-5", size: 0) == .unsatisfiable)
    }
}
