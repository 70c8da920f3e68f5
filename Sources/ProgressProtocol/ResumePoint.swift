// SPDX-License-Identifier: Apache-2.0

/// What a client brings back to go on where it was: the run and filter it was told of, and how far it had got.
public struct ResumePoint: Hashable, Sendable {
    /// Opaque: as the server gave it in `hello`.
    public var epoch: String
    /// The newest `seq` that came.
    public var seq: UInt64

    /// Makes a resume point.
    public init(epoch: String, seq: UInt64) {
        self.epoch = epoch
        self.seq = seq
    }

    /// Reads `epoch:seq`, the form of an event's `id`; nil when it is none (then it means a fresh start).
    public init?(eventID: String) {
        guard let colon = eventID.lastIndex(of: ":"),
            let seq = UInt64(eventID[eventID.index(after: colon)...])
        else { return nil }
        self.init(epoch: String(eventID[..<colon]), seq: seq)
    }
}
