// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferStorage

extension TransferRecord {
    /// The transfer that the record keeps; nil when its document can't be read.
    var transfer: Transfer? {
        guard let json = try? JSONValue(Array(self.document.utf8)) else { return nil }
        return try? FrameDecoder.transfer(json)
    }
}
