// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A file descriptor, read and written without a buffer: what has come is there at once.
struct ByteStream: Sendable {
    /// Why it could not be read or written, in the system's words.
    struct Failure: Error {
        let errorNumber: Int32

        var reason: String {
            unsafe String(cString: strerror(self.errorNumber))
        }
    }

    let descriptor: Int32

    static let input = ByteStream(descriptor: STDIN_FILENO)
    static let output = ByteStream(descriptor: STDOUT_FILENO)
    static let complaints = ByteStream(descriptor: STDERR_FILENO)

    /// Waits for bytes, and gives back those that are there; none at the end.
    ///
    /// - Throws: `Failure`.
    func read(upTo most: Int) throws(Failure) -> [UInt8] {
        while true {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, initialized in
                count = unsafe Foundation.read(self.descriptor, buffer.baseAddress, most)
                initialized = max(count, 0)
            }
            if count >= 0 { return bytes }
            guard errno == EINTR else { throw Failure(errorNumber: errno) }
        }
    }

    /// Writes all of them.
    ///
    /// - Throws: `Failure`.
    func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Foundation.write(self.descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Failure(errorNumber: errno)
            }
        }
    }
}
