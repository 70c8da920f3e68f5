// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the kernel knows about a file: the facts that this room decides by.
package struct FileStatus: Sendable, Equatable {
    package var inode: UInt64
    package var size: Int64
    /// How many names the file has; 0 once it was deleted while open.
    package var links: UInt64
    /// When its bytes last changed, in nanoseconds since 1970.
    package var modified: Int64
    package var isRegular: Bool
    package var isFolder: Bool

    init(_ status: stat) {
        self.inode = UInt64(status.st_ino)
        self.size = Int64(status.st_size)
        self.links = UInt64(status.st_nlink)
        self.modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        self.isRegular = status.st_mode & S_IFMT == S_IFREG
        self.isFolder = status.st_mode & S_IFMT == S_IFDIR
    }
}
