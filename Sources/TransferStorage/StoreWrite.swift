// SPDX-License-Identifier: Apache-2.0

/// One change to the database that waits for its turn.
struct StoreWrite: Sendable {
    enum Change: Sendable {
        case save(TransferRecord, key: IdempotencyKey?)
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
    let id: String
    /// Milliseconds since 1970.
    let at: Int64
}
