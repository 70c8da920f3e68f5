// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferStorage

extension TransferRecord {
    /// The transfer that the record keeps; nil when its document can't be read.
    var transfer: Transfer? { Self.transfer(of: self.document) }

    /// The transfer that a kept document tells of; nil when it can't be read.
    static func transfer(of document: String) -> Transfer? {
        guard let json = try? JSONValue(Array(document.utf8)) else { return nil }
        return try? FrameDecoder.transfer(json)
    }
}
