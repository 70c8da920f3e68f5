// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// How one request ended that brought bytes of an upload.
package enum ReceiveEnd: Sendable, Equatable {
    /// With the last byte of the file.
    case whole
    /// In order, and more requests will bring the rest.
    case more
    /// The sender went away, or said nothing for too long.
    case broken(Problem)
    /// What it brought can't become the file.
    case refused(Problem)
}
