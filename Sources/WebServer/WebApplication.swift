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
    /// Whether the body is wanted in pieces; then `request` is not called, but the four below, and `respond` answers.
    func wantsPieces(_ head: HTTPRequest) -> Bool
    /// Why `request` would refuse the body that comes, whatever is in it: nothing is there, say. Nil when it would not.
    ///
    /// Asked before a body is refused unread for its length, so that a wrong address is told as such.
    func misses(_ id: ConnectionID, _ head: HTTPRequest) -> HTTPResponse?
    /// Nothing of the body is read (and 100 not sent) until `ServiceLoop.readBody`; what came with the head may follow
    /// all the same. Is to be answered after this call has returned.
    ///
    /// `length` is nil when only the end will tell.
    func bodyBegins(_ id: ConnectionID, _ head: HTTPRequest, length: Int64?)
    func bodyArrived(_ id: ConnectionID, _ bytes: [UInt8])
    /// The socket has some of the body, after `ServiceLoop.divertBody`: it is to be read, told by `tookBody`, and asked for again.
    func bodyReady(_ id: ConnectionID, _ socket: BodySocket)
    /// All of it came; an answer is awaited.
    func bodyEnded(_ id: ConnectionID)
    /// Instead of `bodyEnded`; unless the connection has gone, an answer is awaited.
    func bodyLost(_ id: ConnectionID, _ loss: BodyLoss)
    /// The whole body is there.
    func request(_ id: ConnectionID, _ request: HTTPRequest) -> RequestDecision
}

extension WebApplication {
    package func streamOpened(_ id: ConnectionID) {}
    package func wantsPieces(_ head: HTTPRequest) -> Bool { false }
    package func misses(_ id: ConnectionID, _ head: HTTPRequest) -> HTTPResponse? { nil }
    package func bodyBegins(_ id: ConnectionID, _ head: HTTPRequest, length: Int64?) {}
    package func bodyArrived(_ id: ConnectionID, _ bytes: [UInt8]) {}
    package func bodyReady(_ id: ConnectionID, _ socket: BodySocket) {}
    package func bodyEnded(_ id: ConnectionID) {}
    package func bodyLost(_ id: ConnectionID, _ loss: BodyLoss) {}
    package func receivedBinary(_ id: ConnectionID, _ message: [UInt8]) {}
}
