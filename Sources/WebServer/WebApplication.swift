// SPDX-License-Identifier: Apache-2.0

/// What the server above decides.
///
/// Every call is made on the loop thread, and may call back into the loop at once.
package protocol WebApplication: AnyObject, Sendable {
    /// Nil accepts the WebSocket; else this answer is given. `admits` is not asked before: all gates of an upgrade are here.
    func upgrade(_ request: HTTPRequest) -> HTTPResponse?
    /// The WebSocket is there.
    func opened(_ id: ConnectionID, _ request: HTTPRequest)
    /// The head of an event stream is out; bytes may be written.
    func streamOpened(_ id: ConnectionID)
    /// One whole text message, its UTF-8 checked.
    func received(_ id: ConnectionID, _ message: [UInt8])
    /// One whole binary message; only where the configuration takes them.
    func receivedBinary(_ id: ConnectionID, _ message: [UInt8])
    /// All that was written is with the kernel: follows a `.full` and `wantsDrain`.
    func drained(_ id: ConnectionID)
    /// Exactly once for each `opened` and `streamOpened`.
    func closed(_ id: ConnectionID)
    /// The gates before a body is read (Host, Origin, length); nil goes on.
    func admits(_ head: HTTPRequest) -> HTTPResponse?
    /// The whole body is there.
    func request(_ id: ConnectionID, _ request: HTTPRequest) -> RequestDecision
}

extension WebApplication {
    package func streamOpened(_ id: ConnectionID) {}
    package func receivedBinary(_ id: ConnectionID, _ message: [UInt8]) {}
}
