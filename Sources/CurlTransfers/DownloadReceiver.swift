// SPDX-License-Identifier: Apache-2.0

/// What a running download tells; every call is made on the curl thread, in this order: head, body… and settle…, ended.
///
/// The calls hold up every other download, so they must be short.
package protocol DownloadReceiver: AnyObject, Sendable {
    /// The final response's head (after redirects; interim 1xx left out), at most once.
    ///
    /// False = take no body.
    func head(_ response: ResponseHead) -> Bool
    /// A piece of the body, at most 256 KiB, valid during the call.
    func body(_ bytes: UnsafeRawBufferPointer) -> BodyReply
    /// No further piece comes at once: what was kept back, to be taken together, goes on now.
    ///
    /// False = no more; the receiver knows why.
    func settle() -> Bool
    /// Exactly once, and nothing after it.
    func ended(_ end: DownloadEnd)
}

extension DownloadReceiver {
    /// Nothing is kept back.
    package func settle() -> Bool { true }
}

/// What a receiver does with a piece.
package enum BodyReply: Sendable, Equatable {
    case taken
    /// No room: nothing of it was taken, and it comes again after `CurlEngine.resume(_:)`. Until then nothing is read
    /// from the connection, and the silence is nobody's fault.
    case later
    /// No more; the receiver knows why.
    case stop
}
