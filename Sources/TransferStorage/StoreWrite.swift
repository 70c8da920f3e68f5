// SPDX-License-Identifier: Apache-2.0

/// One change to the database that waits for its turn.
struct StoreWrite: Sendable {
    enum Change: Sendable {
        case save(TransferRecord)
        /// New ones that belong together: all of them with their key, or none.
        case create([TransferRecord], key: IdempotencyKey?)
        /// One that has ended, with what the other side said, and whether the operator's program is to be told.
        case end(TransferRecord, RemoteAnswer?, isHookDue: Bool)
        /// The operator's program was told.
        case hookEnded(String)
        /// Nobody is to be told any more of what ended by now.
        case forgetHooks
        case remember(IdempotencyKey)
        case delete([String])
    }

    let change: Change
    /// Hears when it is durable, or why it is not; nil when nobody waits.
    let answer: (@Sendable (Result<Void, StorageError>) -> Void)?
}

/// A name that a caller gave to one creation, so that asking twice makes one transfer.
struct IdempotencyKey: Sendable {
    /// How long one is known, in milliseconds.
    static let lifetime: Int64 = 24 * 60 * 60 * 1000

    let key: String
    let fingerprint: String
    /// What it made: an id, or several with commas between them.
    let id: String
    /// Milliseconds since 1970.
    let at: Int64
}
