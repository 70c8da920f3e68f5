// SPDX-License-Identifier: Apache-2.0

/// What became of a write to a connection.
package enum WriteResult: Sendable, Equatable {
    /// The bytes are with the kernel, or libwebsockets holds what is left of them (64 KiB at most).
    case taken
    /// Nothing was written: a rest of an earlier write is still held. `drained` follows when it is out.
    case full
    /// There is no such connection any more, or it is closing.
    case gone
}
