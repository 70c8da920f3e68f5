// SPDX-License-Identifier: Apache-2.0

extension Transfer {
    /// The transfer as one JSON object: what the store keeps, HTTP answers and programs print.
    public func document(seq: UInt64? = nil) -> [UInt8] {
        var writer = JSONWriter()
        writer.open("{")
        if let seq { writer.member("seq", seq) }
        FrameEncoder.members(of: self, into: &writer)
        writer.close("}")
        return writer.bytes
    }
}
