// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore

extension Command.Download {
    /// What was asked for, as JSON: kept with the record, never shown, and equal for equal orders.
    var document: String { self.document(announced: nil) }

    /// The same, with what the server said of the file's bytes: to be known again after a restart.
    func document(announced: ExpectedChecksum?) -> String {
        var members: [String: JSONValue] = ["kind": .string("download"), "url": .string(self.url)]
        members["name"] = self.name.map { .string($0) }
        members["group"] = self.group.map { .string($0) }
        members["checksum"] = self.checksum.map { .string($0) }
        members["announced"] = announced.map { .string($0.text) }
        if !self.headers.isEmpty { members["headers"] = .object(self.headers.mapValues { .string($0) }) }
        return JSONValue.object(members).text
    }
}

extension Command.Demo {
    /// What was asked for, as JSON: kept with the record, and equal for equal orders.
    var document: String {
        var members: [String: JSONValue] = ["kind": .string("demo"), "unknownTotal": .bool(self.unknownTotal)]
        members["name"] = self.name.map { .string($0) }
        members["group"] = self.group.map { .string($0) }
        members["total"] = self.total.map { .integer($0) }
        members["rate"] = self.rate.map { .integer($0) }
        members["seed"] = self.seed.map { .integer($0) }
        members["failAt"] = self.failAt.map { .integer($0) }
        members["stallAt"] = self.stallAt.map { .integer($0) }
        return JSONValue.object(members).text
    }
}

extension Command.Push {
    /// What was asked for, as JSON: kept with the record, never shown, and equal for equal orders.
    var document: String {
        var members: [String: JSONValue] = [
            "kind": .string("push"), "file": .string(self.file.description), "url": .string(self.url),
            "method": .string(self.method), "body": .string(self.body.rawValue), "field": .string(self.field),
            "idempotent": .bool(self.isIdempotent),
        ]
        members["filename"] = self.filename.map { .string($0) }
        members["contentType"] = self.contentType.map { .string($0) }
        members["group"] = self.group.map { .string($0) }
        if !self.fields.isEmpty {
            let fields = self.fields.map { ($0.name, JSONValue.string($0.value)) }
            members["fields"] = .object(Dictionary(fields, uniquingKeysWith: { $1 }))
        }
        if !self.headers.isEmpty { members["headers"] = .object(self.headers.mapValues { .string($0) }) }
        return JSONValue.object(members).text
    }
}

extension Command.Work {
    /// What was asked for, as JSON: kept with the record, and equal for equal orders.
    var document: String {
        var members: [String: JSONValue] = ["kind": .string("task"), "name": .string(self.name)]
        members["group"] = self.group.map { .string($0) }
        members["total"] = self.total.map { .integer($0) }
        return JSONValue.object(members).text
    }
}

extension JSONValue {
    /// The JSON text.
    var text: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
