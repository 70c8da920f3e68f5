// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct StoreLimitTests {
    private let limit = StoreLimit(1000)

    @Test func `what fits beside what is there and what is promised may come`() {
        #expect(self.limit.refusal(needed: 400, used: 500, promised: 100) == nil)
        #expect(self.limit.refusal(needed: 0, used: 1000, promised: 0) == nil)
        #expect(self.limit.refusal(needed: nil, used: 999, promised: 0) == nil)
    }

    @Test func `what does not fit is told how much is left`() throws {
        let refusal = try #require(self.limit.refusal(needed: 401, used: 500, promised: 100))
        #expect(refusal.code == .storeFull && refusal.status == 507 && !refusal.retryable)
        #expect(
            refusal.detail
                == "it needs 401 bytes more, and of the 1000 that all files may have together 400 are left "
                + "(what is running needs 100 more)"
        )
        #expect(self.limit.refusal(needed: nil, used: 1000, promised: 0)?.code == .storeFull)
        #expect(self.limit.refusal(needed: 1, used: 5000, promised: 0)?.detail.contains("0 are left") == true)
    }
}
