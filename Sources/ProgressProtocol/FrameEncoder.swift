// SPDX-License-Identifier: Apache-2.0

/// Turns frames into the bytes of the wire.
///
/// What follows a frame's `seq` is the same for everybody and is made once per row and turn (`wholeTail`,
/// `figuresTail`); a subscription puts its own head, with its own `seq`, before a copy.
///
/// For example, a `progress` frame is `progressHead(seq:)` and then the row's figures tail.
public enum FrameEncoder {
    /// The version of the wire.
    public static let protocolName = "headway.v1"

    /// What a `start` or `complete` frame holds after its `seq`, closing brace included.
    ///
    /// A priority and a limit that were changed are told also when they are the usual ones: who merges this with what an
    /// earlier `start` said must not keep another one.
    public static func wholeTail(of transfer: Transfer, born: Transfer.Birth? = nil, at: Timestamp) -> [UInt8] {
        var writer = JSONWriter(appendingTo: Self.reserved(900))
        writer.member("at", at)
        Self.members(of: transfer, into: &writer)
        if born?.isChanged == true {
            if transfer.priority == 0 { writer.member("priority", 0) }
            if transfer.maxRate == nil { writer.member("maxRate", transfer.maxRate) }
        }
        writer.close("}")
        return writer.bytes
    }

    /// What a `progress` frame holds after its `seq`, closing brace included.
    ///
    /// What has been learnt since the row was born is told in every `progress`.
    public static func figuresTail(of transfer: Transfer, born: Transfer.Birth, at: Timestamp) -> [UInt8] {
        var bytes = Self.reserved(300)
        Self.appendFiguresTail(of: transfer, born: born, at: at, to: &bytes)
        return bytes
    }

    /// The same at the end of a buffer: nothing is allocated where there is room.
    public static func appendFiguresTail(
        of transfer: Transfer,
        born: Transfer.Birth,
        at: Timestamp,
        to bytes: inout [UInt8]
    ) {
        JSONWriter.append(to: &bytes) { writer in
            writer.member("at", at)
            writer.member("id", transfer.id)
            writer.member("state", transfer.state.rawValue)
            Self.figures(of: transfer, into: &writer)
            if transfer.name != born.name { writer.member("name", transfer.name) }
            if transfer.source != born.source { writer.member("source", transfer.source) }
            if transfer.target != born.target { writer.member("target", transfer.target) }
            if transfer.startedAt != born.startedAt { writer.member("startedAt", transfer.startedAt) }
            if born.isChanged {
                writer.member("priority", transfer.priority)
                writer.member("maxRate", transfer.maxRate)
            }
            writer.close("}")
        }
    }

    /// What a `removed` frame holds after its `seq`, closing brace included.
    public static func removedTail(id: TransferID, outcome: Outcome?, at: Timestamp) -> [UInt8] {
        var writer = JSONWriter(appendingTo: Self.reserved(120))
        writer.member("at", at)
        writer.member("id", id)
        writer.member("outcome", outcome?.rawValue)
        writer.close("}")
        return writer.bytes
    }

    /// The members of a transfer as it is in a frame or an HTTP answer.
    public static func members(of transfer: Transfer, into writer: inout JSONWriter) {
        writer.member("id", transfer.id)
        writer.member("kind", transfer.kind.rawValue)
        writer.member("state", transfer.state.rawValue)
        writer.member("name", transfer.name)
        writer.member("group", transfer.group)
        writer.member("owner", transfer.owner)
        writer.member("retryOf", transfer.retryOf)
        writer.member("source", transfer.source)
        writer.member("target", transfer.target)
        Self.figures(of: transfer, into: &writer)
        writer.member("outcome", transfer.outcome?.rawValue)
        writer.name("error")
        if let error = transfer.error { Self.problem(error, into: &writer) } else { writer.null() }
        writer.member("createdAt", transfer.createdAt)
        writer.member("startedAt", transfer.startedAt)
        writer.member("finishedAt", transfer.finishedAt)
        writer.member("elapsed", transfer.elapsed)
        writer.member("digest", transfer.digest)
        writer.member("href", transfer.href)
        writer.name("files")
        if let files = transfer.files { Self.files(files, into: &writer) } else { writer.null() }
        writer.name("result")
        if let result = transfer.result {
            writer.raw([])
            writer.open("{")
            writer.member("status", result.status)
            writer.member("contentType", result.contentType)
            writer.close("}")
        } else {
            writer.null()
        }
        if transfer.priority != 0 { writer.member("priority", transfer.priority) }
        if transfer.maxRate != nil { writer.member("maxRate", transfer.maxRate) }
    }

    /// A problem as an object.
    public static func problem(_ problem: Problem, into writer: inout JSONWriter) {
        Self.problem(problem, type: nil, numbers: [], into: &writer)
    }

    /// The same, with the type that somebody else's specification gives it, and members of theirs.
    package static func problem(
        _ problem: Problem,
        type: String?,
        numbers: [(String, Int64)],
        into writer: inout JSONWriter
    ) {
        writer.raw([])
        writer.open("{")
        writer.member("type", type ?? "urn:headway:problem:" + problem.code.rawValue)
        writer.member("code", problem.code.rawValue)
        writer.member("title", problem.title)
        writer.member("detail", problem.detail)
        writer.member("retryable", problem.retryable)
        if let status = problem.status { writer.member("status", status) }
        if let remoteStatus = problem.remoteStatus { writer.member("remoteStatus", remoteStatus) }
        for (name, number) in numbers { writer.member(name, number) }
        writer.close("}")
    }

    private static func figures(of transfer: Transfer, into writer: inout JSONWriter) {
        writer.member("bytes", transfer.bytes)
        writer.member("total", transfer.total)
        writer.member("rate", transfer.rate)
        writer.member("eta", transfer.eta)
        writer.member("attempt", transfer.attempt)
        writer.member("reason", transfer.reason?.rawValue)
        writer.member("retryAt", transfer.retryAt)
        writer.member("note", transfer.note)
    }

    private static func files(_ files: [Transfer.File], into writer: inout JSONWriter) {
        writer.raw([])
        writer.open("[")
        for file in files {
            writer.raw([])
            writer.open("{")
            writer.member("name", file.name)
            writer.member("bytes", file.bytes)
            writer.member("digest", file.digest)
            writer.member("href", file.href)
            writer.close("}")
        }
        writer.close("]")
    }

    private static func reserved(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        return bytes
    }
}
