// SPDX-License-Identifier: Apache-2.0

/// What went wrong with the disk or the database, in words that a person can act on.
///
/// `kind` says what to do about it, `errno` is what the kernel said (0 when it did not), and `message` names the file as it
/// is called in the data folder.
package struct StorageError: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// No room, or the quota is used up. May pass.
        case full
        /// Too many files are open. Will pass, and nothing is wrong with this one.
        case exhausted
        /// No permission.
        case denied
        /// The file system can only be read.
        case readOnly
        /// It is not there.
        case missing
        /// The name is in use.
        case taken
        /// The disk failed, or something that has no word of its own.
        case io
        /// Another process holds the data folder.
        case locked(by: String)
        /// It is not what we left: changed, cut or garbled by others.
        case damaged
        /// The request makes no sense here.
        case invalid
    }

    package let kind: Kind
    package let errno: Int32
    /// What it is about: a file or folder of ours; nil where `text` says it all.
    private let file: String?
    private let text: String

    package var message: String { self.file.map { "\($0) \(self.text)" } ?? self.text }

    package init(_ kind: Kind, errno: Int32 = 0, of file: String? = nil, _ text: String) {
        self.kind = kind
        self.errno = errno
        self.file = file
        self.text = text
    }

    /// The message for whoever knows the file by another name.
    package func message(calling name: String) -> String { self.file == nil ? self.text : "\(name) \(self.text)" }

    /// What the kernel's refusal means: "data.bin can't be written: the disk is full".
    init(_ error: ErrorNumber, _ name: String, _ verb: String) {
        self.init(error.kind, errno: error.code, of: name, "can't be \(verb): \(error.words)")
    }
}
