// SPDX-License-Identifier: Apache-2.0

/// What the other side of a push said at its end; kept with the transfer, and gone with it.
package struct RemoteAnswer: Sendable, Equatable {
    /// The status code.
    package var status: Int
    /// The media type as it was given; nil without one.
    package var contentType: String?
    /// The body's first bytes; the caller bounds them.
    package var body: [UInt8]
    /// Whether these are all of the body.
    package var isWhole: Bool

    package init(status: Int, contentType: String?, body: [UInt8], isWhole: Bool) {
        self.status = status
        self.contentType = contentType
        self.body = body
        self.isWhole = isWhole
    }
}

extension TransferStore {
    /// What the other side said at the end of a push; nil where nothing is kept.
    package func answer(of id: String) async throws(StorageError) -> RemoteAnswer? {
        try await self.read { database throws(StorageError) in
            let row = try database.prepare("SELECT status, content_type, body, is_whole FROM answers WHERE id = ?")
            try row.bind([.text(id)])
            guard try row.step() else { return nil }
            return RemoteAnswer(
                status: Int(row.number(0) ?? 0),
                contentType: row.text(1),
                body: row.blob(2),
                isWhole: row.number(3) != 0
            )
        }
    }
}
