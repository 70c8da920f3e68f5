// SPDX-License-Identifier: Apache-2.0

/// The bytes that a response fetches piece by piece, off the loop: a stored file.
///
/// One read is under way at a time. `close` is called exactly once, when the response is out or its connection has gone; a read may still be under way then.
package protocol BodySource: Sendable {
    /// Completes on any thread, and as late as need be, with at least one byte from `offset` on and at most `count`, or with nil when they can't be had: then
    /// the connection is cut.
    ///
    /// Where the response names no length, no bytes at all are its end; else they are as nil.
    func read(at offset: Int64, count: Int, then completion: @escaping @Sendable ([UInt8]?) -> Void)
    func close()
}
