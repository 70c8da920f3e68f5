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
    ///
    /// False = stop; the receiver knows why.
    func body(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// Exactly once, and nothing after it.
    func ended(_ end: DownloadEnd)
}
