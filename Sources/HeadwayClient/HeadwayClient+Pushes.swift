// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ProgressProtocol

extension HeadwayClient {
    /// Lets the server send a stored file to a remote endpoint.
    ///
    /// With a `key`, the same order sent twice makes one transfer.
    ///
    /// - Throws: `Problem` that says why not: `not-found` where there is no such file, say.
    public func start(push: Command.Push) async throws(Problem) -> Transfer {
        var writer = JSONWriter()
        writer.open("{")
        writer.member("kind", "push")
        writer.member("file", push.file)
        writer.member("url", push.url)
        writer.member("method", push.method)
        writer.member("body", push.body.rawValue)
        writer.member("field", push.field)
        writer.member("filename", push.filename)
        writer.member("contentType", push.contentType)
        writer.member("group", push.group)
        writer.member("idempotent", push.isIdempotent)
        if !push.fields.isEmpty {
            writer.name("fields")
            writer.open("{")
            for field in push.fields { writer.member(field.name, field.value) }
            writer.close("}")
        }
        if !push.headers.isEmpty {
            writer.name("headers")
            writer.value(JSONValue.object(push.headers.mapValues { .string($0) }))
        }
        writer.close("}")
        return try await self.create(writer.bytes, key: push.key)
    }
}
