// SPDX-License-Identifier: Apache-2.0

extension Command {
    /// A stored file, or what is behind a link, to send to a remote endpoint.
    public struct Push: Hashable, Sendable {
        /// How the file is wrapped.
        public enum Body: String, Hashable, Sendable {
            /// As the file of a multipart/form-data form (RFC 7578).
            case form
            /// The bytes alone.
            case raw
        }

        /// A field of the form beside the file.
        public struct Field: Hashable, Sendable {
            /// Its name.
            public var name: String
            /// Its text.
            public var value: String

            /// Makes a field.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// What is sent.
        public enum Source: Hashable, Sendable {
            /// The stored file of a transfer.
            case file(TransferID)
            /// What is behind a link: it is sent on while it comes.
            case link(String)
        }

        /// What is sent.
        public var source: Source
        /// Whether what comes from a link is stored as well.
        public var keeps = false
        /// Where to.
        public var url: String
        /// `POST`, `PUT` or `PATCH`.
        public var method = "POST"
        /// How it is wrapped.
        public var body = Body.form
        /// The name of the form's field that holds the file.
        public var field = "file"
        /// The file's name as the remote shall know it; nil = as it is stored.
        public var filename: String?
        /// The file's media type; nil = `application/octet-stream`.
        public var contentType: String?
        /// Further fields of the form, sent before the file.
        public var fields: [Field] = []
        /// Further request headers.
        public var headers: [String: String] = [:]
        /// What belongs together.
        public var group: String?
        /// Its place among those that wait: see ``Command/priorities``.
        public var priority = 0
        /// How many bytes a second it may send at most; nil = any.
        public var maxRate: Int64?
        /// Whether the remote may get it twice without harm: then it is tried again after whatever failure.
        public var isIdempotent = false
        /// The `Idempotency-Key` of this order itself.
        public var key: String?

        /// Makes the order to send a stored file.
        public init(file: TransferID, to url: String) {
            self.source = .file(file)
            self.url = url
        }

        /// Makes the order to send what is behind a link on while it comes.
        public init(from link: String, to url: String, keeps: Bool = false) {
            self.source = .link(link)
            self.url = url
            self.keeps = keeps
        }
    }

    static func onePush(_ json: JSONValue) throws(Problem) -> Push {
        guard let url = try json.text("url") else { throw .invalid("\"url\" is missing") }
        var push = Push(from: "", to: url, keeps: try json.flag("keep"))
        push.source = try Self.source(json)
        if case .file = push.source, push.keeps {
            throw .invalid("\"keep\" belongs to \"from\": the file of \"file\" is stored already")
        }
        if let method = try json.text("method", limit: 16) {
            guard ["POST", "PUT", "PATCH"].contains(method) else {
                throw .invalid("\"method\" has to be POST, PUT or PATCH, not \"\(method)\"")
            }
            push.method = method
        }
        if let body = try json.text("body") {
            guard let known = Push.Body(rawValue: body) else {
                throw .invalid("\"body\" has to be \"form\" or \"raw\", not \"\(body.shortened)\"")
            }
            push.body = known
        }
        push.field = try json.text("field", limit: 256) ?? push.field
        push.filename = try json.text("filename", limit: 1024)
        push.contentType = try json.text("contentType", limit: 256)
        push.fields = try json.strings("fields").map { Push.Field(name: $0, value: $1) }.sorted { $0.name < $1.name }
        push.headers = try json.strings("headers")
        push.group = try json.text("group", limit: 256)
        push.isIdempotent = try json.flag("idempotent")
        push.priority = try Self.priority(json) ?? 0
        push.maxRate = try json.rateLimit("maxRate")?.number
        push.key = try json.text("key", limit: 256)
        try push.check()
        return push
    }

    private static func source(_ json: JSONValue) throws(Problem) -> Push.Source {
        let file = try json.text("file")
        switch (file, try json.text("from")) {
        case (nil, nil):
            throw .invalid("\"file\" is missing: the id of a stored file; or \"from\": a link")
        case (_?, _?): throw .invalid("\"file\" and \"from\" exclude each other")
        case (nil, let link?): return .link(link)
        case (let text?, nil):
            guard let file = TransferID(text) else {
                throw Problem(.notFound, "there is no stored file of \"\(text.shortened)\"", status: 404)
            }
            return .file(file)
        }
    }
}

extension Command.Push {
    /// Refuses what would break out of its line in a head.
    func check() throws(Problem) {
        for (member, text) in [("field", self.field), ("filename", self.filename), ("contentType", self.contentType)] {
            guard let text else { continue }
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .invalid("\"\(member)\" is empty or holds a control character")
            }
        }
        guard self.body == .form || self.fields.isEmpty else {
            throw .invalid("\"fields\" belong to the body \"form\", and this one is \"raw\"")
        }
        guard self.fields.count <= 100 else { throw .invalid("a form has at most 100 \"fields\" here") }
        for field in self.fields {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .invalid("the field \"\(field.name.shortened)\" has no name, or a control character in it")
            }
        }
    }
}
