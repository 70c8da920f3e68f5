// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where the rest of a body comes in, past libwebsockets: whoever takes the body reads from it, on any thread.
///
/// It has a descriptor of its own, so a connection that is closed meanwhile is never mistaken for the next one of its number.
package final class BodySocket: Sendable {
    package enum Reading: Equatable, Sendable {
        /// So many bytes, at least one.
        case bytes(Int)
        /// None for now: `ServiceLoop.readBody` tells when to come again.
        case nothing
        /// The peer has gone, or sends no more.
        case end
    }

    private let descriptor: Int32

    /// Nil when the process has no descriptor left.
    package init?(_ original: Int32) {
        self.descriptor = fcntl(original, F_DUPFD_CLOEXEC, 0)
        guard self.descriptor >= 0 else { return nil }
    }

    deinit {
        Glibc.close(self.descriptor)
    }

    /// Puts what has come at the beginning of a buffer, which may not be empty; does not wait.
    ///
    /// What comes behind the body is not to be asked for: no more than `HTTPRequest`'s length in all.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        while true {
            let count = unsafe recv(self.descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return .bytes(count) }
            guard count < 0 else { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothing
            default: return .end
            }
        }
    }
}
