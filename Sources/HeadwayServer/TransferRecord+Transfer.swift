// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferStorage

extension Transfer {
    /// The transfer as one JSON object: what the store keeps and what HTTP answers.
    func document(seq: UInt64? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.open("{")
        if let seq { writer.member("seq", seq) }
        FrameEncoder.members(of: self, into: &writer)
        writer.close("}")
        return writer.bytes
    }
}

extension TransferRecord {
    /// The transfer that the record keeps; nil when its document can't be read.
    var transfer: Transfer? {
        guard let json = try? JSONValue(Array(self.document.utf8)) else { return nil }
        return try? FrameDecoder.transfer(json)
    }
}
