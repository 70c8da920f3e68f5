// SPDX-License-Identifier: Apache-2.0

import HeadwayClient
import ProgressProtocol

/// `headway push`: lets a server send a stored file to a remote endpoint, and watches it to its end.
enum Push: ClientWord {
    static let name = "push"
    static let operands = "ID URL"
    static let summary = "let a server send a stored file on, and watch until it is taken"
    static let about = """
        Lets a Headway server send a stored file to a remote endpoint, as the file of a form or alone, and shows it until
        the other side has answered. ID is the transfer that stored the file; headway list shows them.
        """
    static let flags = [
        Flag(name: "-F", value: "NAME=VALUE", help: "a further field of the form (repeatable)"),
        Flag(name: "-H", value: "NAME: VALUE", help: "a further request header (repeatable)"),
        Flag(name: "--field", value: "NAME", help: "the form's field that holds the file; default: file"),
        Flag(name: "--name", value: "NAME", help: "the file's name as the other side shall know it"),
        Flag(name: "--type", value: "TYPE", help: "the file's media type; default: application/octet-stream"),
        Flag(name: "--method", value: "METHOD", help: "POST, PUT or PATCH; default: POST"),
        Flag(name: "--raw", value: nil, help: "send the bytes alone, without a form"),
        Flag(name: "--idempotent", value: nil, help: "getting it twice does no harm: try again after every failure"),
        Flag(name: "--group", value: "GROUP", help: "what it belongs to"),
    ]
    static let remarks = """
        Ctrl-C ends the watching, not the transfer: the server goes on.
        exit status: 0 taken, 1 failed or cancelled, 2 no server answers, 64 wrong usage
        """
    static let example =
        "push 01938f5e-7c1a-7b2d-9c4e-5f60718293a4 https://example.org/photos --field photo -F album=2026"

    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        guard arguments.subjects.count == 2 else {
            throw UsageError("it takes the id of a stored file and a link; headway list shows the ids")
        }
        guard let file = try Self.ids([arguments.subjects[0]]).first else { return ExitStatus.usage }
        var order = Command.Push(file: file, to: arguments.subjects[1])
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
        return await Get.watch(try await client.start(push: order), arguments, client)
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
