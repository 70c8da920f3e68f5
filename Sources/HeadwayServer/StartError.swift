// SPDX-License-Identifier: Apache-2.0

/// Why the server can't start: one line for the person who started it.
package struct StartError: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
