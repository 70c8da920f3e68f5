// SPDX-License-Identifier: Apache-2.0

extension FrameDecoder {
    /// Reads a whole transfer: from a frame, an HTTP answer, or a stored document.
    ///
    /// - Throws: `Failure`.
    public static func transfer(_ json: JSONValue) throws(Failure) -> Transfer {
        let object = JSONMembers(json)
        var transfer = Transfer(
            id: try object.id("id"),
            kind: TransferKind(rawValue: try object.string("kind")),
            name: try object.string("name"),
            createdAt: try object.time("createdAt"),
            group: try object.optionalString("group"),
            owner: try object.optionalString("owner"),
            retryOf: try object.optionalID("retryOf")
        )
        try object.figures(into: &transfer)
        transfer.source = try object.optionalString("source")
        transfer.target = try object.optionalString("target")
        transfer.outcome = try object.outcome()
        transfer.error = try object.optional("error").map { value throws(Failure) in try Self.problem(value) }
        transfer.startedAt = try object.optionalTime("startedAt")
        transfer.finishedAt = try object.optionalTime("finishedAt")
        transfer.elapsed = try object.optionalInteger("elapsed")
        transfer.digest = try object.optionalString("digest")
        transfer.href = try object.optionalString("href")
        if let files = object.optional("files") {
            guard let array = files.array else { throw Failure("\"files\" is not an array") }
            var read: [Transfer.File] = []
            for value in array {
                let file = JSONMembers(value)
                read.append(
                    Transfer.File(
                        name: try file.string("name"),
                        bytes: try file.integer("bytes"),
                        digest: try file.optionalString("digest"),
                        href: try file.optionalString("href")
                    )
                )
            }
            transfer.files = read
        }
        if let result = object.optional("result") {
            let answer = JSONMembers(result)
            transfer.result = Transfer.Answer(
                status: Int(try answer.integer("status")),
                contentType: try answer.optionalString("contentType")
            )
        }
        transfer.priority = Int(try object.optionalInteger("priority") ?? 0)
        transfer.maxRate = try object.optionalInteger("maxRate")
        return transfer
    }
}

/// The members of an object, asked for by name and type; what is missing or of another type is an error that names it.
struct JSONMembers {
    private let json: JSONValue

    init(_ json: JSONValue) {
        self.json = json
    }

    func has(_ name: String) -> Bool { self.json[name] != nil }

    func optional(_ name: String) -> JSONValue? {
        guard let value = self.json[name], !value.isNull else { return nil }
        return value
    }

    func optionalString(_ name: String) throws(FrameDecoder.Failure) -> String? {
        guard let value = self.optional(name) else { return nil }
        guard let text = value.string else { throw FrameDecoder.Failure("\"\(name)\" is not a string") }
        return text
    }

    func optionalInteger(_ name: String) throws(FrameDecoder.Failure) -> Int64? {
        guard let value = self.optional(name) else { return nil }
        guard let number = value.integer else { throw FrameDecoder.Failure("\"\(name)\" is not a whole number") }
        return number
    }

    func optionalTime(_ name: String) throws(FrameDecoder.Failure) -> Timestamp? {
        guard let text = try self.optionalString(name) else { return nil }
        guard let time = Timestamp(text) else { throw FrameDecoder.Failure("\"\(name)\" is not a time: \(text)") }
        return time
    }

    func optionalID(_ name: String) throws(FrameDecoder.Failure) -> TransferID? {
        guard let text = try self.optionalString(name) else { return nil }
        guard let id = TransferID(text) else { throw FrameDecoder.Failure("\"\(name)\" is not an id: \(text)") }
        return id
    }

    func string(_ name: String) throws(FrameDecoder.Failure) -> String {
        try self.required(name, self.optionalString(name))
    }

    func integer(_ name: String) throws(FrameDecoder.Failure) -> Int64 {
        try self.required(name, self.optionalInteger(name))
    }

    func time(_ name: String) throws(FrameDecoder.Failure) -> Timestamp {
        try self.required(name, self.optionalTime(name))
    }

    func id(_ name: String) throws(FrameDecoder.Failure) -> TransferID {
        try self.required(name, self.optionalID(name))
    }

    func bool(_ name: String) throws(FrameDecoder.Failure) -> Bool {
        try self.required(name, self.optional(name)?.bool)
    }

    func seq() throws(FrameDecoder.Failure) -> UInt64 {
        guard let seq = UInt64(exactly: try self.integer("seq")) else {
            throw FrameDecoder.Failure("\"seq\" is negative")
        }
        return seq
    }

    func outcome() throws(FrameDecoder.Failure) -> Outcome? {
        guard let word = try self.optionalString("outcome") else { return nil }
        guard let outcome = Outcome(rawValue: word) else {
            throw FrameDecoder.Failure("\"outcome\" is unknown: \(word)")
        }
        return outcome
    }

    func figures(into transfer: inout Transfer) throws(FrameDecoder.Failure) {
        transfer.state = TransferState(rawValue: try self.string("state"))
        transfer.bytes = try self.integer("bytes")
        transfer.total = try self.optionalInteger("total")
        transfer.rate = try self.optionalInteger("rate")
        transfer.eta = try self.optionalInteger("eta")
        transfer.attempt = Int(try self.integer("attempt"))
        transfer.reason = try self.optionalString("reason").map { Problem.Code(rawValue: $0) }
        transfer.retryAt = try self.optionalTime("retryAt")
        transfer.note = try self.optionalString("note")
    }

    private func required<Value>(_ name: String, _ value: Value?) throws(FrameDecoder.Failure) -> Value {
        guard let value else { throw FrameDecoder.Failure("\"\(name)\" is missing") }
        return value
    }
}
