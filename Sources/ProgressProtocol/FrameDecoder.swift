// SPDX-License-Identifier: Apache-2.0

/// Reads what the server tells: for clients, and for tests of the server.
///
/// Unknown members, types, kinds and states are taken as they come; a member of the wrong type is an error that names it.
public enum FrameDecoder {
    /// Why some JSON is not a frame.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// For people, with the member that was wrong.
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// Reads one frame, or the array of frames of a batch.
    ///
    /// - Throws: `Failure`.
    public static func frames(_ bytes: [UInt8]) throws(Failure) -> [Frame] {
        let json: JSONValue
        do {
            json = try JSONValue(bytes)
        } catch {
            throw Failure(error.description)
        }
        guard let batch = json.array else { return [try Self.frame(json)] }
        var frames: [Frame] = []
        for value in batch {
            frames.append(try Self.frame(value))
        }
        return frames
    }

    /// Reads one frame.
    ///
    /// - Throws: `Failure`.
    public static func frame(_ json: JSONValue) throws(Failure) -> Frame {
        let object = JSONMembers(json)
        switch try object.string("type") {
        case "hello":
            return .hello(
                Frame.Hello(
                    server: try object.string("server"),
                    epoch: try object.string("epoch"),
                    seq: try object.seq(),
                    resumed: try object.bool("resumed"),
                    interval: try object.integer("interval"),
                    heartbeat: try object.integer("heartbeat"),
                    at: try object.time("at")
                )
            )
        case "start": return .start(seq: try object.seq(), at: try object.time("at"), try Self.transfer(json))
        case "complete": return .complete(seq: try object.seq(), at: try object.time("at"), try Self.transfer(json))
        case "progress": return .progress(seq: try object.seq(), at: try object.time("at"), try Self.figures(object))
        case "removed":
            return .removed(
                seq: try object.seq(),
                at: try object.time("at"),
                id: try object.id("id"),
                outcome: try object.outcome()
            )
        case "ready": return .ready(seq: try object.seq())
        case "heartbeat":
            return .heartbeat(
                seq: try object.seq(),
                at: try object.time("at"),
                open: try object.optionalInteger("open"),
                sum: try object.optionalInteger("sum")
            )
        case "ack":
            let ok = try object.bool("ok")
            let error = try object.optional("error").map { value throws(Failure) in try Self.problem(value) }
            guard ok == (error == nil) else { throw Failure("an ack is ok exactly when it has no error") }
            var ack = Frame.Ack(ref: try object.optionalString("ref"), id: try object.optionalID("id"), error: error)
            ack.ids = json["ids"]?.array?.compactMap { $0.string.flatMap { TransferID($0) } } ?? []
            return .ack(ack)
        case let type: return .unknown(type: type)
        }
    }

    /// Reads a problem.
    ///
    /// - Throws: `Failure`.
    public static func problem(_ json: JSONValue) throws(Failure) -> Problem {
        let object = JSONMembers(json)
        var problem = Problem(
            Problem.Code(rawValue: try object.string("code")),
            try object.string("detail"),
            retryable: try object.bool("retryable")
        )
        problem.title = try object.string("title")
        problem.status = try object.optionalInteger("status").map { Int($0) }
        problem.remoteStatus = try object.optionalInteger("remoteStatus").map { Int($0) }
        return problem
    }

    private static func figures(_ object: JSONMembers) throws(Failure) -> Frame.Figures {
        var transfer = Transfer(
            id: try object.id("id"),
            kind: .download,
            name: "",
            createdAt: Timestamp(milliseconds: 0)
        )
        try object.figures(into: &transfer)
        var figures = Frame.Figures(of: transfer)
        figures.name = try object.optionalString("name")
        figures.source = try object.optionalString("source")
        figures.target = try object.optionalString("target")
        figures.startedAt = try object.optionalTime("startedAt")
        figures.priority = try object.optionalInteger("priority").map { Int($0) }
        if object.has("maxRate") { figures.maxRate = RateLimit(try object.optionalInteger("maxRate")) }
        return figures
    }
}
