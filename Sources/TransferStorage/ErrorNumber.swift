// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The kernel's number for why it refused; what a `FileLayer` throws.
package struct ErrorNumber: Error, Sendable, Equatable {
    package let code: Int32

    package init(_ code: Int32) {
        self.code = code
    }

    var kind: StorageError.Kind {
        switch self.code {
        case ENOSPC, EDQUOT: .full
        case EMFILE, ENFILE: .exhausted
        case EACCES, EPERM: .denied
        case EROFS: .readOnly
        case ENOENT: .missing
        case EEXIST: .taken
        case ELOOP, ENOTDIR, EISDIR, ENAMETOOLONG: .invalid
        default: .io
        }
    }

    var words: String {
        switch self.code {
        case ENOSPC: "the disk is full"
        case EDQUOT: "the disk quota is used up"
        case EACCES, EPERM: "permission denied"
        case EROFS: "the file system is read-only"
        case ENOENT: "it does not exist"
        case EEXIST: "the name is taken"
        case ELOOP: "it is a symbolic link, which is not followed"
        case ENOTDIR: "it is not a folder"
        case EISDIR: "it is a folder"
        case ENAMETOOLONG: "the name is too long"
        case EFBIG: "the file is larger than this file system allows"
        case EMFILE, ENFILE: "too many files are open"
        case EXDEV: "it would have to move to another disk"
        case EIO: "the disk reports an error"
        default: "the system reports error \(self.code)"
        }
    }
}

/// Asks again as long as only a signal came in between.
func retrying<Answer>(_ call: () throws(ErrorNumber) -> Answer) throws(ErrorNumber) -> Answer {
    while true {
        do throws(ErrorNumber) {
            return try call()
        } catch {
            guard error.code == EINTR else { throw error }
        }
    }
}
