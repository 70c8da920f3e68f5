// SPDX-License-Identifier: Apache-2.0

/// What became of a write.
package enum Delivery: Sendable {
    /// The edge has it, whole.
    case taken
    /// Nothing was taken: the socket is full.
    ///
    /// `drained` will tell when it is not.
    case full
    /// There is no such connection any more.
    case gone
}

/// The way out: the edge that owns the sockets.
///
/// It is called while the broadcaster works, so it must not call back into it.
package protocol FrameSink: AnyObject {
    /// Gives a connection ready-made bytes, at most 64 KiB.
    func deliver(_ bytes: [UInt8], to reader: ReaderID) -> Delivery
    /// Asks for `drained` once all that was delivered is with the kernel.
    func awaitDrain(of reader: ReaderID)
    /// Stops or goes on reading what the connection sends.
    func pauseReading(of reader: ReaderID, _ isPaused: Bool)
}
