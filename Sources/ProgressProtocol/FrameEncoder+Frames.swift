// SPDX-License-Identifier: Apache-2.0

extension FrameEncoder {
    /// The kinds of frame that carry a row's tail.
    public enum RowFrame: Sendable, CaseIterable {
        /// The row is new to the connection.
        case start
        /// It moved.
        case progress
        /// It ended.
        case complete
        /// Its record is gone.
        case removed

        var opening: String {
            switch self {
            case .start: #"{"type":"start","seq":"#
            case .progress: #"{"type":"progress","seq":"#
            case .complete: #"{"type":"complete","seq":"#
            case .removed: #"{"type":"removed","seq":"#
            }
        }
    }

    /// How many bytes `appendHead` writes for this frame and `seq`.
    public static func headLength(of frame: RowFrame, seq: UInt64) -> Int {
        var digits = 1
        var rest = seq / 10
        while rest > 0 {
            digits += 1
            rest /= 10
        }
        return frame.opening.utf8.count + digits + 1
    }

    /// Writes what stands before a row's tail: the type and the subscription's own `seq`.
    public static func appendHead(of frame: RowFrame, seq: UInt64, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: frame.opening.utf8)
        bytes.append(decimal: seq)
        bytes.append(UInt8(ascii: ","))
    }

    /// A whole frame as the bytes of the wire.
    public static func encode(_ frame: Frame) -> [UInt8] {
        var bytes: [UInt8] = []
        switch frame {
        case .start(let seq, let at, let transfer):
            Self.appendHead(of: .start, seq: seq, to: &bytes)
            return bytes + Self.wholeTail(of: transfer, at: at)
        case .complete(let seq, let at, let transfer):
            Self.appendHead(of: .complete, seq: seq, to: &bytes)
            return bytes + Self.wholeTail(of: transfer, at: at)
        case .removed(let seq, let at, let id, let outcome):
            Self.appendHead(of: .removed, seq: seq, to: &bytes)
            return bytes + Self.removedTail(id: id, outcome: outcome, at: at)
        case .progress, .hello, .ready, .heartbeat, .ack, .unknown:
            return Self.small(frame)
        }
    }

    private static func small(_ frame: Frame) -> [UInt8] {
        var writer = JSONWriter()
        writer.open("{")
        switch frame {
        case .hello(let hello):
            writer.member("type", "hello")
            writer.member("protocol", Self.protocolName)
            writer.member("server", hello.server)
            writer.member("epoch", hello.epoch)
            writer.member("seq", hello.seq)
            writer.member("resumed", hello.resumed)
            writer.member("interval", hello.interval)
            writer.member("heartbeat", hello.heartbeat)
            writer.member("at", hello.at)
        case .ready(let seq):
            writer.member("type", "ready")
            writer.member("seq", seq)
        case .heartbeat(let seq, let at, let open, let sum):
            writer.member("type", "heartbeat")
            writer.member("seq", seq)
            writer.member("at", at)
            if let open { writer.member("open", open) }
            if let sum { writer.member("sum", sum) }
        case .ack(let ack):
            writer.member("type", "ack")
            writer.member("ref", ack.ref)
            writer.member("ok", ack.error == nil)
            if let id = ack.id { writer.member("id", id) }
            if !ack.ids.isEmpty {
                writer.name("ids")
                writer.value(JSONValue.array(ack.ids.map { .string($0.description) }))
            }
            if let error = ack.error {
                writer.name("error")
                Self.problem(error, into: &writer)
            }
        case .progress(let seq, let at, let figures):
            writer.member("type", "progress")
            writer.member("seq", seq)
            writer.member("at", at)
            Self.members(of: figures, into: &writer)
        case .unknown(let type):
            writer.member("type", type)
        case .start, .complete, .removed:
            preconditionFailure("a frame with a whole tail is encoded by its tail")
        }
        writer.close("}")
        return writer.bytes
    }

    private static func members(of figures: Frame.Figures, into writer: inout JSONWriter) {
        writer.member("id", figures.id)
        writer.member("state", figures.state.rawValue)
        writer.member("bytes", figures.bytes)
        writer.member("total", figures.total)
        writer.member("rate", figures.rate)
        writer.member("eta", figures.eta)
        writer.member("attempt", figures.attempt)
        writer.member("reason", figures.reason?.rawValue)
        writer.member("retryAt", figures.retryAt)
        writer.member("note", figures.note)
        if let name = figures.name { writer.member("name", name) }
        if let source = figures.source { writer.member("source", source) }
        if let target = figures.target { writer.member("target", target) }
        if let startedAt = figures.startedAt { writer.member("startedAt", startedAt) }
        if let priority = figures.priority { writer.member("priority", priority) }
        if let maxRate = figures.maxRate { writer.member("maxRate", maxRate.number) }
    }
}
