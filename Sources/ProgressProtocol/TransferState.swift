// SPDX-License-Identifier: Apache-2.0

/// Where a transfer is in its life.
///
/// Open: an unknown state whose `outcome` is null is unfinished.
public struct TransferState: RawRepresentable, Hashable, Sendable {
    /// The word on the wire.
    public let rawValue: String

    /// Any word is a state.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Waits for a place among the active ones.
    ///
    /// Next: running, paused, cancelled.
    public static let queued = Self(rawValue: "queued")
    /// Bytes are moving, or are asked for.
    ///
    /// Next: paused, retrying, finishing, or an end.
    public static let running = Self(rawValue: "running")
    /// Stands still until somebody resumes it.
    ///
    /// Next: queued, running, cancelled.
    public static let paused = Self(rawValue: "paused")
    /// Broke off and will try again at `retryAt`.
    ///
    /// Next: queued, running, paused, or an end.
    public static let retrying = Self(rawValue: "retrying")
    /// Has its last byte; is being synced, verified, or answered.
    ///
    /// Next: an end.
    public static let finishing = Self(rawValue: "finishing")
    /// Ended: durable on our disk, or accepted by the remote.
    public static let succeeded = Self(rawValue: "succeeded")
    /// Ended, and `error` says why.
    public static let failed = Self(rawValue: "failed")
    /// Ended because somebody wanted it to.
    public static let cancelled = Self(rawValue: "cancelled")
}

/// How a transfer ended.
public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// The file is where it should be, whole.
    case succeeded
    /// It is not, and `error` says why.
    case failed
    /// Somebody called it off.
    case cancelled

    /// The state of a transfer that ended like this.
    public var state: TransferState { TransferState(rawValue: self.rawValue) }
}
