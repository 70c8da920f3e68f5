// SPDX-License-Identifier: Apache-2.0

/// What a running download tells; every call is made on the curl thread, in this order: head, body…, ended.
///
/// The calls hold up every other download, so they must be short.
package protocol DownloadReceiver: AnyObject, Sendable {
    /// The final response's head (after redirects; interim 1xx left out), at most once.
    ///
    /// False = take no body.
    func head(_ response: ResponseHead) -> Bool
    /// A piece of the body, at most 256 KiB, valid during the call.
    func body(_ bytes: UnsafeRawBufferPointer) -> BodyReply
    /// Exactly once, and nothing after it.
    func ended(_ end: DownloadEnd)
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
