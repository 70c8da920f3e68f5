// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@Suite struct PercentTests {
    @Test(
        arguments: [
            (0, nil, nil), (13_307, nil, nil), (0, 0, 0), (25_000_000, 50_000_000, 50), (40_000_000, 50_000_000, 80),
            (2_147_483_648, 3_221_225_472, 66), (999, 1000, 99), (1000, 1000, 99), (1, 3, 33), (29, 100, 29),
            (57, 100, 57),
            (9_007_199_254_740_991, 9_007_199_254_740_991, 99), (4_503_599_627_370_496, 9_007_199_254_740_992, 50),
            (0, 1, 0),
            (5, -1, 0), (20, 10, 99), (-5, 10, 0),
        ] as [(Int64, Int64?, Int?)]
    )
    func `percent is floored and at most 99 before the end`(bytes: Int64, total: Int64?, percent: Int?) {
        var transfer = bareTransfer()
        transfer.bytes = bytes
        transfer.total = total
        #expect(transfer.percent == percent)
    }

    @Test func `every whole percent of a hundred is exact`() {
        var transfer = bareTransfer()
        transfer.total = 100
        for bytes in Int64(0)...99 {
            transfer.bytes = bytes
            #expect(transfer.percent == Int(bytes))
        }
    }

    @Test func `an empty file is 100 at the end, a failed one is not`() {
        var transfer = bareTransfer()
        transfer.total = 0
        transfer.outcome = .succeeded
        #expect(transfer.percent == 100)
        transfer.outcome = .failed
        #expect(transfer.percent == 0)
    }
}
