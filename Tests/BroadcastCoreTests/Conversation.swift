// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// A broadcaster and the sockets around it, to be talked with in short words.
final class Conversation {
    var broadcaster: Broadcaster
    let sockets = FakeSockets()
    private var tickNumber: UInt64 = 0
    private var readers: UInt64 = 0
    private var framings: [ReaderID: Framing] = [:]
    private var ids: [String: TransferID] = [:]
    private var names: [TransferID: String] = [:]

    init(heartbeat: Int64 = 1_000_000) {
        self.broadcaster = Broadcaster(
            Broadcaster.Configuration(run: "run", server: "test", tick: 100, heartbeat: heartbeat)
        )
    }

    var now: Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + Int64(self.tickNumber) * 100) }
    var clock: Duration { .milliseconds(Int(self.tickNumber) * 100) }

    // MARK: - Transfers

    func id(_ name: String) -> TransferID {
        if let id = self.ids[name] { return id }
        let id = TransferID(milliseconds: Int64(self.ids.count), random: (0, UInt64(self.ids.count)))
        self.ids[name] = id
        self.names[id] = name
        return id
    }

    func transfer(_ name: String, group: String? = nil, outcome: Outcome? = nil, size: Int = 0) -> Transfer {
        var transfer = Transfer(id: self.id(name), kind: .demo, name: name, createdAt: self.now, group: group)
        transfer.state = outcome?.state ?? .running
        transfer.outcome = outcome
        if size > 0 { transfer.note = String(repeating: "x", count: size) }
        return transfer
    }

    /// Rows are born; with a `size`, each of their frames has about so many bytes.
    func born(_ names: String..., group: String? = nil, size: Int = 0) {
        for name in names { self.broadcaster.table.insert(self.transfer(name, group: group, size: size)) }
    }

    func move(_ names: String..., by step: Int64 = 1) {
        for name in names { self.change(name) { $0.bytes += step } }
    }

    func pause(_ name: String) { self.change(name) { $0.state = .paused } }

    func end(_ names: String...) {
        for name in names {
            self.change(name) {
                $0.state = .succeeded
                $0.outcome = .succeeded
                $0.finishedAt = self.now
            }
        }
    }

    func remove(_ name: String) { self.broadcaster.table.remove(self.id(name)) }

    func change(_ name: String, _ body: (inout Transfer) -> Void) {
        guard var transfer = self.broadcaster.table[self.id(name)]?.latest else { return }
        body(&transfer)
        self.broadcaster.table.update(transfer)
    }

    // MARK: - Turns

    /// A turn that an event makes.
    func turn() { self.broadcaster.turn(at: self.now, clock: self.clock, tick: nil, sink: self.sockets) }

    /// A turn that a tick makes, or the last of several ticks that were missed.
    func tick(_ count: UInt64 = 1) {
        self.tickNumber += count
        self.broadcaster.turn(at: self.now, clock: self.clock, tick: self.tickNumber, sink: self.sockets)
    }

    // MARK: - Readers

    func join(
        _ filter: Command.Filter = Command.Filter(),
        interval: Int64? = nil,
        framing: Framing = .webSocket,
        resume: ResumePoint? = nil,
        named: [NamedRow] = [],
        isStuck: Bool = false
    ) -> ReaderID {
        self.readers += 1
        let reader = ReaderID(raw: self.readers)
        self.framings[reader] = framing
        self.sockets.sockets[reader] = FakeSockets.Socket()
        self.sockets.sockets[reader]?.isStuck = isStuck
        let terms = Terms(filter: filter, interval: interval, framing: framing)
        self.broadcaster.join(reader, terms, resume: resume, named: named, at: self.now, sink: self.sockets)
        return reader
    }

    /// A level reader that has read what it was told on joining.
    func level(_ filter: Command.Filter = Command.Filter(), interval: Int64? = nil) throws -> ReaderID {
        let reader = self.join(filter, interval: interval)
        self.drain(reader)
        _ = try self.told(reader)
        return reader
    }

    func only(_ names: String...) -> Command.Filter {
        var filter = Command.Filter()
        filter.ids = Set(names.map { self.id($0) })
        return filter
    }

    func group(_ name: String) -> Command.Filter {
        var filter = Command.Filter()
        filter.groups = [name]
        return filter
    }

    func stick(_ reader: ReaderID) { self.sockets.sockets[reader]?.isStuck = true }

    /// All that was taken is with the kernel, once.
    func drainOnce(_ reader: ReaderID) {
        if self.sockets.drain(reader) { self.broadcaster.drained(reader, sink: self.sockets) }
    }

    /// The same, until nothing waits any more.
    func drain(_ reader: ReaderID) {
        while self.sockets.drain(reader) { self.broadcaster.drained(reader, sink: self.sockets) }
    }

    func answer(_ reader: ReaderID, _ ref: String) {
        self.broadcaster.answer(reader, Frame.Ack(ref: ref, id: nil, error: nil), sink: self.sockets)
    }

    func visits(_ reader: ReaderID) -> Int { self.sockets.sockets[reader]?.visits ?? 0 }

    func isPaused(_ reader: ReaderID) -> Bool { self.sockets.sockets[reader]?.isReadingPaused ?? false }

    func frames(_ reader: ReaderID) throws -> [Frame] {
        try self.sockets.take(reader).flatMap { try Wire.frames($0, self.framings[reader] ?? .webSocket) }
    }

    /// What has come since the last time, each frame as a few words: type, `seq`, and what matters.
    func told(_ reader: ReaderID) throws -> [String] {
        try self.frames(reader).map { self.words($0) }
    }

    private func words(_ frame: Frame) -> String {
        func name(_ id: TransferID) -> String { self.names[id] ?? "\(id)" }
        switch frame {
        case .hello(let hello): return "hello \(hello.seq) \(hello.resumed ? "resumed" : "new")"
        case .start(let seq, _, let transfer): return "start \(seq) \(name(transfer.id))"
        case .progress(let seq, _, let figures): return "progress \(seq) \(name(figures.id)) \(figures.bytes)"
        case .complete(let seq, _, let transfer): return "complete \(seq) \(name(transfer.id))"
        case .removed(let seq, _, let id, let outcome):
            return "removed \(seq) \(name(id))" + (outcome.map { " \($0)" } ?? "")
        case .ready(let seq): return "ready \(seq)"
        case .heartbeat(let seq, _, let open, let sum):
            return "heartbeat \(seq)" + (open.map { " \($0)" } ?? "") + (sum.map { " \($0)" } ?? "")
        case .ack(let ack): return "ack \(ack.ref ?? "")"
        case .unknown(let type): return "unknown \(type)"
        }
    }
}
