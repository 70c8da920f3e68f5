// SPDX-License-Identifier: Apache-2.0

/// Why libcurl gave up.
package struct CurlFailure: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case nameNotFound
        case unreachable
        case timedOut
        /// The other side can't be trusted.
        case tls
        /// The connection got no further than the TLS handshake.
        case handshake
        case redirectLoop
        /// An address that the policy forbids; the reason names it.
        case blockedAddress(String)
        case unsupportedProtocol
        /// What a redirect leads to is no link.
        case malformedLink
        /// The connection was lost before the answer was complete.
        case cutShort
        /// The other side does not speak HTTP as it should.
        case protocolFailure
        /// This machine has no memory or connection to spare at the moment.
        case exhausted
        case other
    }

    /// libcurl's number, 0 when the engine itself found the fault.
    package var code: Int32
    package var kind: Kind
    /// Plain words with the value that was wrong, and without names and passwords.
    package var message: String
    /// The links that led on to where it failed, in order, without names and passwords; what their queries say may be
    /// secret still.
    package var redirects: [String] = []

    package init(code: Int32, kind: Kind, message: String) {
        self.code = code
        self.kind = kind
        self.message = message
    }
}
