// SPDX-License-Identifier: Apache-2.0

/// A finished file: its name, and what proves that it is the one.
package struct Published: Sendable, Equatable {
    package var name: String
    /// The identity that a rename keeps.
    package var inode: UInt64
    package var size: Int64
    /// SHA-256 in lowercase hexadecimal; nil when none was made.
    package var digest: String?

    package init(name: String, inode: UInt64, size: Int64, digest: String?) {
        self.name = name
        self.inode = inode
        self.size = size
        self.digest = digest
    }
}
