// SPDX-License-Identifier: Apache-2.0

// The body of `POST /transfers` that asks for each: what clients send, and what the server keeps with a record. Equal
// orders are equal bytes. The key is not in it: it names an order and is no part of it.

extension Command.Download {
    /// The order as JSON, without its key.
    public var json: JSONValue {
        var members: [String: JSONValue] = ["kind": .string("download"), "url": .string(self.url)]
        members["name"] = self.name.map { .string($0) }
        members["group"] = self.group.map { .string($0) }
        members["checksum"] = self.checksum.map { .string($0) }
        if !self.headers.isEmpty { members["headers"] = .object(self.headers.mapValues { .string($0) }) }
        if self.priority != 0 { members["priority"] = .integer(Int64(self.priority)) }
        members["maxRate"] = self.maxRate.map { .integer($0) }
        return .object(members)
    }
}

extension Command.Demo {
    /// The order as JSON, without its key.
    public var json: JSONValue {
        var members: [String: JSONValue] = ["kind": .string("demo"), "unknownTotal": .bool(self.unknownTotal)]
        members["name"] = self.name.map { .string($0) }
        members["group"] = self.group.map { .string($0) }
        members["total"] = self.total.map { .integer($0) }
        members["rate"] = self.rate.map { .integer($0) }
        members["seed"] = self.seed.map { .integer($0) }
        members["failAt"] = self.failAt.map { .integer($0) }
        members["stallAt"] = self.stallAt.map { .integer($0) }
        return .object(members)
    }
}

extension Command.Push {
    /// The order as JSON, without its key.
    public var json: JSONValue {
        var members = self.destination
        members["kind"] = .string("push")
        self.source.name(in: &members)
        if self.keeps { members["keep"] = .bool(true) }
        members["group"] = self.group.map { .string($0) }
        return .object(members)
    }

    /// Where to, and how.
    fileprivate var destination: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "url": .string(self.url), "method": .string(self.method), "body": .string(self.body.rawValue),
            "field": .string(self.field), "idempotent": .bool(self.isIdempotent),
        ]
        members["filename"] = self.filename.map { .string($0) }
        members["contentType"] = self.contentType.map { .string($0) }
        if self.priority != 0 { members["priority"] = .integer(Int64(self.priority)) }
        members["maxRate"] = self.maxRate.map { .integer($0) }
        if !self.fields.isEmpty {
            let fields = self.fields.map { ($0.name, JSONValue.string($0.value)) }
            members["fields"] = .object(Dictionary(fields, uniquingKeysWith: { $1 }))
        }
        if !self.headers.isEmpty { members["headers"] = .object(self.headers.mapValues { .string($0) }) }
        return members
    }
}

extension Command.Push.Source {
    fileprivate func name(in members: inout [String: JSONValue]) {
        switch self {
        case .file(let file): members["file"] = .string(file.description)
        case .link(let url): members["from"] = .string(url)
        }
    }
}

extension Command.Pushes {
    /// The order as JSON, without its key.
    public var json: JSONValue {
        var members: [String: JSONValue] = ["kind": .string("push")]
        members["to"] = .array(self.targets.map { .object($0.destination) })
        self.source.name(in: &members)
        if self.keeps { members["keep"] = .bool(true) }
        members["group"] = self.group.map { .string($0) }
        return .object(members)
    }
}

extension Command.Work {
    /// The order as JSON, without its key.
    public var json: JSONValue {
        var members: [String: JSONValue] = ["kind": .string("task"), "name": .string(self.name)]
        members["group"] = self.group.map { .string($0) }
        members["total"] = self.total.map { .integer($0) }
        return .object(members)
    }
}
