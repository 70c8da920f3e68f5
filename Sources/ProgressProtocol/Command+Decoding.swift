// SPDX-License-Identifier: Apache-2.0

extension Command {
    /// A command as it came over a socket: with the mark that ties its answer.
    public struct Message: Sendable {
        /// The client's own mark, at most 64 bytes; nil where it had none that could be used.
        public var ref: String?
        /// What it asks for, or why it can't be understood.
        public var command: Result<Command, Problem>
    }

    /// Reads a message of a socket; nil when it is not a JSON object (close code 4400).
    public static func message(_ bytes: [UInt8]) -> Message? {
        guard let json = try? JSONValue(bytes), case .object = json else { return nil }
        let ref = json["ref"]?.string.flatMap { $0.utf8.count <= 64 ? $0 : nil }
        if let given = json["ref"], !given.isNull, ref == nil {
            return Message(ref: nil, command: .failure(.invalid("\"ref\" has to be a string of at most 64 bytes")))
        }
        do {
            return Message(ref: ref, command: .success(try Self.command(json)))
        } catch {
            return Message(ref: ref, command: .failure(error))
        }
    }

    /// Reads what `POST /transfers` asks for.
    ///
    /// - Throws: `Problem` with code `invalid`, which names the member that was wrong.
    public static func creation(_ json: JSONValue) throws(Problem) -> Command {
        guard case .object = json else { throw .invalid("the body has to be a JSON object") }
        switch try json.text("kind") {
        case "download": return .download(try Self.download(json))
        case "demo": return .demo(try Self.demo(json))
        case "push": return try Self.push(json)
        case "task": return .task(try Self.work(json))
        case let kind?:
            let kinds = "\"download\", \"push\", \"task\" or \"demo\""
            throw .invalid("\"kind\" has to be \(kinds), not \"\(kind.shortened)\"")
        case nil: throw .invalid("\"kind\" is missing")
        }
    }

    private static func command(_ json: JSONValue) throws(Problem) -> Command {
        guard let op = try json.text("op") else { throw .invalid("\"op\" is missing") }
        switch op {
        case "download": return .download(try Self.download(json))
        case "demo": return .demo(try Self.demo(json))
        case "push": return try Self.push(json)
        case "task": return .task(try Self.work(json))
        case "change": return .change(try Self.change(json), try Self.transferID(json))
        case "report": return .report(try Self.report(json), try Self.transferID(json))
        case "watch": return .watch(try Self.filter(json))
        case "pace": return .pace(interval: json["interval"]?.integer)
        case "sync": return .sync
        case "ping": return .ping
        default:
            guard let action = Action(rawValue: op) else {
                throw .invalid("\"op\" is unknown: \"\(op.shortened)\"")
            }
            return .steer(action, try Self.transferID(json))
        }
    }

    private static func transferID(_ json: JSONValue) throws(Problem) -> TransferID {
        guard let text = try json.text("id") else { throw .invalid("\"id\" is missing") }
        guard let id = TransferID(text) else {
            throw Problem(.notFound, "there is no transfer \"\(text.shortened)\"", status: 404)
        }
        return id
    }

    private static func download(_ json: JSONValue) throws(Problem) -> Download {
        guard let url = try json.text("url") else { throw .invalid("\"url\" is missing") }
        var download = Download(
            url: url,
            name: try json.text("name", limit: 1024),
            group: try json.text("group", limit: 256),
            checksum: try json.text("checksum", limit: 1024),
            key: try json.text("key", limit: 256)
        )
        download.headers = try json.strings("headers")
        download.priority = try Self.priority(json) ?? 0
        download.maxRate = try json.rateLimit("maxRate")?.number
        return download
    }

    private static func demo(_ json: JSONValue) throws(Problem) -> Demo {
        var demo = Demo()
        demo.name = try json.text("name", limit: 1024)
        demo.group = try json.text("group", limit: 256)
        demo.total = try json.count("total", in: 0...1 << 50)
        demo.rate = try json.count("rate", in: 1...1 << 40)
        demo.seed = try json.count("seed", in: Int64.min...Int64.max)
        demo.failAt = try json.count("failAt", in: 0...1 << 50)
        demo.stallAt = try json.count("stallAt", in: 0...1 << 50)
        demo.key = try json.text("key", limit: 256)
        demo.unknownTotal = try json.flag("unknownTotal")
        return demo
    }

    /// A filter's values may be one string or an array of them.
    ///
    /// An id that is none matches nothing, so it is refused.
    private static func filter(_ json: JSONValue) throws(Problem) -> Filter {
        var filter = Filter()
        for text in try json.texts("id") {
            guard let id = TransferID(text) else { throw .invalid("\"id\" is no transfer's id: \"\(text.shortened)\"") }
            filter.ids.insert(id)
        }
        filter.groups = Set(try json.texts("group"))
        filter.kinds = Set(try json.texts("kind").map { TransferKind(rawValue: $0) })
        guard filter.valueCount <= Filter.maximumValues else {
            throw .invalid("a filter names at most \(Filter.maximumValues) values, not \(filter.valueCount)")
        }
        return filter
    }
}

extension Problem {
    /// Something was not understood: 400 over HTTP.
    static func invalid(_ detail: String) -> Problem {
        Problem(.invalid, detail, status: 400)
    }
}

extension JSONValue {
    func text(_ name: String, limit: Int = 16_384) throws(Problem) -> String? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .invalid("\"\(name)\" has to be a string") }
        guard text.utf8.count <= limit else {
            throw .invalid("\"\(name)\" has \(text.utf8.count) bytes, and \(limit) are the most")
        }
        return text
    }

    fileprivate func texts(_ name: String) throws(Problem) -> [String] {
        guard let values = self[name]?.array else { return try self.text(name).map { [$0] } ?? [] }
        var texts: [String] = []
        for value in values {
            guard let text = value.string else { throw .invalid("\"\(name)\" has to hold strings") }
            texts.append(text)
        }
        return texts
    }

    /// An object of strings; an absent one is empty.
    func strings(_ name: String) throws(Problem) -> [String: String] {
        switch self[name] {
        case nil, .null: return [:]
        case .object(let members):
            var strings: [String: String] = [:]
            for (member, value) in members {
                guard let text = value.string else {
                    throw .invalid("\"\(member.shortened)\" of \"\(name)\" has to be a string")
                }
                strings[member] = text
            }
            return strings
        default: throw .invalid("\"\(name)\" has to be an object of strings")
        }
    }

    /// An absent one is false.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch self[name] {
        case nil, .null: return false
        case .bool(let flag): return flag
        default: throw .invalid("\"\(name)\" has to be true or false")
        }
    }

    func count(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw .invalid("\"\(name)\" has to be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension String {
    /// The beginning of what somebody sent, short enough for an error.
    var shortened: String {
        self.count <= 60 ? self : String(self.prefix(59)) + "…"
    }
}
