// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// `headway push`: lets a server send a stored file, or what is behind a link, to remote endpoints, and watches it.
enum Push: ClientWord {
    static let name = "push"
    static let operands = "FILE|ID|LINK URL…"
    static let summary = "let a server send a stored file or a link's on, and watch until it is taken"
    static let about = """
        Lets a Headway server send a file to one or several remote endpoints, as the file of a form or alone, and shows it
        until the other side has answered. A FILE of this machine is sent to the server first, which keeps it. ID is the
        transfer that stored a file; headway list shows them. A LINK is sent on while it is fetched, without being stored.
        """
    static let flags = [
        Flag(name: "-F", value: "NAME=VALUE", help: "a further field of the form (repeatable)"),
        Flag(name: "-H", value: "NAME: VALUE", help: "a further request header (repeatable)"),
        Flag(name: "--field", value: "NAME", help: "the form's field that holds the file; default: file"),
        Flag(name: "--name", value: "NAME", help: "the file's name as the other side shall know it"),
        Flag(name: "--type", value: "TYPE", help: "the file's media type; default: application/octet-stream"),
        Flag(name: "--method", value: "METHOD", help: "POST, PUT or PATCH; default: POST"),
        Flag(name: "--raw", value: nil, help: "send the bytes alone, without a form"),
        Flag(name: "--keep", value: nil, help: "store what is behind the link as well"),
        Flag(name: "--idempotent", value: nil, help: "getting it twice does no harm: try again after every failure"),
        Flag(name: "--group", value: "GROUP", help: "what it belongs to"), .priority, .maxRate,
    ]
    static let remarks = """
        Ctrl-C ends the watching, not the transfer: the server goes on.
        exit status: 0 taken, 1 failed or cancelled, 2 no server answers, 64 wrong usage
        """
    static let example =
        "push 01938f5e-7c1a-7b2d-9c4e-5f60718293a4 https://example.org/photos --field photo -F album=2026"

    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        guard arguments.subjects.count > 1 else {
            throw UsageError("it takes a file, the id of a stored one or a link, and where to; headway list shows ids")
        }
        var order = try await Self.order(arguments, client)
        order.fields = try arguments.all("-F").map { text throws(UsageError) in
            let (name, value) = try Self.pair(text, "=", of: "-F", as: "album=2026")
            return Command.Push.Field(name: name, value: value)
        }
        for text in arguments.all("-H") {
            let (name, value) = try Self.pair(text, ":", of: "-H", as: "X-Album: 2026")
            order.headers[name] = String(value.drop { $0 == " " })
        }
        order.field = arguments["--field"] ?? order.field
        order.filename = arguments["--name"]
        order.contentType = arguments["--type"]
        order.method = arguments["--method"] ?? order.method
        order.body = arguments.has("--raw") ? .raw : .form
        order.isIdempotent = arguments.has("--idempotent")
        order.group = arguments["--group"]
        let terms = try arguments.change
        order.priority = terms.priority ?? 0
        order.maxRate = terms.maxRate?.number
        guard arguments.subjects.count > 2 else {
            return await Get.watch(try await client.start(push: order), arguments, client)
        }
        let others = arguments.subjects.dropFirst(2).map { url in
            var other = order
            other.url = url
            return other
        }
        let made = try await client.start(pushes: Command.Pushes(order, others))
        return await Get.watch(made, arguments, client)
    }

    private static func order(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Command.Push {
        let (source, url, keeps) = (arguments.subjects[0], arguments.subjects[1], arguments.has("--keep"))
        if source.contains("://") { return Command.Push(from: source, to: url, keeps: keeps) }
        guard !keeps else { throw UsageError("--keep is for a link: any other file is stored already") }
        if FileManager.default.fileExists(atPath: source) {
            let upload = Upload(file: URL(fileURLWithPath: source), name: nil, group: arguments["--group"])
            return Command.Push(file: try await client.upload(upload).id, to: url)
        }
        guard let file = try Self.ids([source]).first else { throw UsageError("\"\(source)\" is no transfer's id") }
        return Command.Push(file: file, to: url)
    }

    private static func pair(
        _ text: String,
        _ separator: Character,
        of flag: String,
        as example: String
    ) throws(UsageError) -> (String, String) {
        guard let place = text.firstIndex(of: separator), place > text.startIndex else {
            throw UsageError("\(flag): \"\(text)\" is not of the form \"\(example)\"")
        }
        return (String(text[..<place]), String(text[text.index(after: place)...]))
    }
}
