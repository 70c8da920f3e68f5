// SPDX-License-Identifier: Apache-2.0

/// Why the rest of a request's body won't come.
package enum BodyLoss: Sendable, Equatable {
    /// The connection has gone; nobody can be answered any more.
    case connection
    /// The framing of a chunked body is broken.
    case malformed
    /// A chunked body is longer than libwebsockets can take (100 MiB, framing included).
    case endless
}
