// SPDX-License-Identifier: Apache-2.0

import HeadwayClient
import ProgressProtocol

extension HeadwayClient {
    /// The transfer as it is once an order has had its effect, or a second later; nil where nobody can say.
    ///
    /// The server answers as soon as it has taken an order; what runs stops a moment after that.
    func settled(_ id: TransferID, _ isSettled: (Transfer) -> Bool) async -> Transfer? {
        var latest: Transfer?
        for _ in 0..<20 {
            guard let transfer = try? await self.transfer(id) else { return latest }
            if isSettled(transfer) || transfer.outcome != nil { return transfer }
            latest = transfer
            try? await Task.sleep(for: .milliseconds(50))
        }
        return latest
    }
}
