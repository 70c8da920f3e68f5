// SPDX-License-Identifier: Apache-2.0

/// Why the server can't serve; `message` is a sentence for a terminal and names the value that was wrong.
package struct WebServerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Stable words for what went wrong.
    package enum Code: String, Sendable {
        case invalidAddress = "invalid-address"
        case addressInUse = "address-in-use"
        case addressNotAvailable = "address-not-available"
        case permissionDenied = "permission-denied"
        case system
        case library
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { self.message }
}
