// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage

extension Job {
    /// What comes in from a sender: the way it takes, and the files it becomes.
    struct Upload {
        /// How its bytes come.
        enum Way: String {
            /// One request with multipart/form-data.
            case form
            /// One request whose body is the file.
            case raw
            /// Any number of requests, by tus 1.0.0.
            case tus
            /// Any number of requests, by the IETF's draft.
            case draft

            /// Whether another request can go on with it.
            var isResumable: Bool { self == .tus || self == .draft }
            /// Whether it is whole as soon as its length is there; with the draft a request has to say so.
            var endsAtLength: Bool { self == .tus }
        }

        /// One file of it.
        struct File {
            /// Under which id its part file stands.
            let part: String
            /// What it is to be called.
            let name: String
            /// How many bytes it has; of the last one, as long as it comes, the part file knows.
            var bytes: Int64 = 0
            /// What is recorded before it gets its final name.
            var published: Published?
            /// Whether it has its final name.
            var isNamed = false
        }

        let way: Way
        /// `Upload-Metadata` as it was given.
        var metadata: String?
        /// The version of the draft that its sender began with.
        var version: UploadDraft?
        /// After that time (ms since 1970) nobody can go on with it; nil for what can't be gone on with.
        var expiresAt: Int64?
        /// Where the bytes begin whose checksum is not known yet: after a crash they are not kept.
        var uncheckedFrom: Int64?
        var files: [File] = []
        /// The part file of the last one, once it is open.
        var writer: PartWriter?

        /// How many bytes of files are taken.
        var taken: Int64 {
            guard let writer = self.writer else { return self.files.reduce(0) { $0 + $1.bytes } }
            return self.files.dropLast().reduce(0) { $0 + $1.bytes } + writer.part.written
        }

        /// What is kept with the record, as JSON.
        var document: String {
            var members: [String: JSONValue] = ["kind": .string("upload"), "way": .string(self.way.rawValue)]
            members["metadata"] = self.metadata.map { .string($0) }
            members["version"] = self.version.map { .integer(Int64($0.rawValue)) }
            members["expiresAt"] = self.expiresAt.map { .integer($0) }
            members["uncheckedFrom"] = self.uncheckedFrom.map { .integer($0) }
            members["files"] = .array(self.files.map(\.json))
            return JSONValue.object(members).text
        }

        init(_ way: Way) {
            self.way = way
        }

        /// Reads `document`; nil when it is none.
        init?(document: String?) {
            guard let document, let json = try? JSONValue(Array(document.utf8)), json["kind"]?.string == "upload",
                let way = json["way"]?.string.flatMap(Way.init)
            else { return nil }
            self.way = way
            self.metadata = json["metadata"]?.string
            self.version = json["version"]?.integer.flatMap { UploadDraft(rawValue: Int($0)) }
            self.expiresAt = json["expiresAt"]?.integer
            self.uncheckedFrom = json["uncheckedFrom"]?.integer
            guard case .array(let files)? = json["files"] else { return }
            self.files = files.compactMap(File.init)
        }
    }

    /// The upload that it is.
    var upload: Upload? {
        get {
            guard case .upload(let upload) = self.driver else { return nil }
            return upload
        }
        set {
            if let newValue { self.driver = .upload(newValue) }
        }
    }
}

extension Job.Upload.File {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "part": .string(self.part), "name": .string(self.name), "bytes": .integer(self.bytes),
        ]
        if let published = self.published {
            members["final"] = .string(published.name)
            members["inode"] = .integer(Int64(bitPattern: published.inode))
            members["digest"] = published.digest.map { .string($0) }
        }
        return .object(members)
    }

    fileprivate init?(_ json: JSONValue) {
        guard let part = json["part"]?.string, let name = json["name"]?.string else { return nil }
        self.init(part: part, name: name, bytes: json["bytes"]?.integer ?? 0)
        guard let final = json["final"]?.string, let inode = json["inode"]?.integer else { return }
        self.published = Published(
            name: final,
            inode: UInt64(bitPattern: inode),
            size: self.bytes,
            digest: json["digest"]?.string
        )
    }
}
