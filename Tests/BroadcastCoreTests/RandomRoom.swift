// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// A server and its viewers, at random: births, moves, ends, removals, forgetting, chokes, cuts, filters, paces.
final class RandomRoom {
    /// One viewer, over all its connections.
    private struct Viewer {
        var reader: ReaderID
        let client: FoldingClient
        /// What it wants to see: that of its next connection too.
        var filter: Command.Filter
        var framing: Framing
        var refs: [String] = []
    }

    private(set) var broadcaster: Broadcaster
    private(set) var faults: [String] = []
    var clients: [FoldingClient] { self.viewers.map(\.client) }

    private let configuration: Broadcaster.Configuration
    private var dice: Dice
    private let sockets: FakeSockets
    private let truth = Truth()
    private var viewers: [Viewer] = []
    private var filters: [Command.Filter] = []
    private var epochs: [String: Command.Filter] = [:]
    private var readers: UInt64 = 0
    private var ids: [TransferID] = []
    private var born = 0
    private var live: [TransferID] = []
    private var touched: Set<TransferID> = []
    private var tick: UInt64 = 0
    private var refs = 0
    private var known = Wire.Known()
    private let chokes: Int
    private let keptRows: Int
    private let isForgetful: Bool
    private var isAtRest = false
    private let hasLongRows: Bool
    private let cuts: Int

    init(seed: UInt64) {
        var dice = Dice(seed: seed)
        self.sockets = FakeSockets(seed: seed &+ 77)
        self.configuration = Broadcaster.Configuration(run: "r\(seed)", server: "test", tick: 100, heartbeat: 1000)
        self.broadcaster = Broadcaster(self.configuration)
        self.chokes = dice.pick([0, 5, 20, 50])
        self.cuts = dice.pick([0, 2, 6])
        self.isForgetful = dice.chance(60)
        self.hasLongRows = dice.chance(20)
        self.keptRows = dice.pick([2, 8, 60])
        self.ids = (0..<400).map { TransferID(milliseconds: Int64($0), random: (dice.next(), dice.next())) }
        self.dice = dice
        if self.dice.chance(30) { self.restore() }
        self.makeFilters()
        for _ in 0..<self.dice.number(2...7) { self.arrive() }
    }

    /// Lets `ticks` go by, with turns between them, and then everything come to rest.
    func run(ticks: Int) {
        for _ in 0..<ticks {
            self.happen()
            if self.dice.chance(40) {
                self.turn(isTick: false)
                self.happen()
            }
            self.turn(isTick: true)
            self.visitors()
        }
        self.rest()
    }

    // MARK: - What happens to transfers

    private func restore() {
        let transfers = (0..<self.dice.number(1...90)).map { _ -> Transfer in
            var transfer = self.birth()
            if self.dice.chance(80) { self.end(&transfer) }
            return transfer
        }
        self.broadcaster.table.restore(transfers, at: self.now)
        self.live = transfers.filter { $0.outcome == nil }.map(\.id)
        for transfer in transfers { if let row = self.broadcaster.table[transfer.id] { self.truth.see(row) } }
    }

    private var now: Timestamp { Timestamp(milliseconds: 1_700_000_000_000 + Int64(self.tick) * 100) }

    private func birth() -> Transfer {
        var transfer = Transfer(
            id: self.ids[self.born],
            kind: self.dice.pick([.download, .upload, .demo]),
            name: "file \(self.born)",
            createdAt: self.now,
            group: self.dice.pick([nil, "a", "b", "c"])
        )
        self.born += 1
        transfer.total = self.dice.pick([nil, 0, 1000, 1 << 52])
        if self.hasLongRows, self.dice.chance(10) {
            transfer.note = String(repeating: "long ", count: self.dice.number(100...4000))
        }
        return transfer
    }

    private func end(_ transfer: inout Transfer) {
        let outcome = self.dice.pick(Outcome.allCases)
        transfer.state = outcome.state
        transfer.outcome = outcome
        if outcome == .succeeded { transfer.total = transfer.bytes }
        transfer.finishedAt = self.now
        transfer.rate = nil
    }

    private func happen() {
        if self.live.count < 14, self.born < self.ids.count { self.beBorn() }
        for id in self.live where self.dice.chance(60) { self.move(id) }
        for id in self.live where self.dice.chance(2) {
            guard var transfer = self.broadcaster.table[id]?.latest else { continue }
            self.end(&transfer)
            self.broadcaster.table.update(transfer)
            self.touched.insert(id)
        }
        if self.dice.chance(15) {
            let id = self.ids[self.dice.number(0...max(0, self.born - 1))]
            self.broadcaster.table.remove(id)
            self.touched.insert(id)
        }
        self.live.removeAll { id in
            guard let row = self.broadcaster.table[id] else { return true }
            return row.isGone || row.latest.outcome != nil
        }
    }

    private func beBorn() {
        for _ in 0..<self.dice.pick([0, 0, 0, 1, 1, 3]) where self.born < self.ids.count {
            let transfer = self.birth()
            self.broadcaster.table.insert(transfer)
            self.touched.insert(transfer.id)
            self.live.append(transfer.id)
            guard self.dice.chance(50), let viewer = self.viewers.randomElement(using: &self.dice) else { continue }
            self.answer(viewer.reader, about: transfer.id)
        }
    }

    private func answer(_ reader: ReaderID, about id: TransferID?) {
        guard let index = self.viewers.firstIndex(where: { $0.reader == reader }) else { return }
        self.refs += 1
        let ref = "\(self.refs)"
        self.viewers[index].refs.append(ref)
        if let id { self.viewers[index].client.awaited[id] = ref }
        self.broadcaster.answer(reader, Frame.Ack(ref: ref, id: id, error: nil), sink: self.sockets)
    }

    private func move(_ id: TransferID) {
        guard var transfer = self.broadcaster.table[id]?.latest else { return }
        let step = Int64(self.dice.number(0...40))
        transfer.bytes = min(transfer.bytes + step, transfer.total ?? .max)
        if self.dice.chance(10) { transfer.state = self.dice.pick([.queued, .running, .paused, .retrying]) }
        if self.dice.chance(5) { transfer.reason = self.dice.pick([nil, .remoteTimeout]) }
        if self.dice.chance(5) { transfer.total = transfer.bytes + Int64(self.dice.number(0...99)) }
        if self.dice.chance(5) { transfer.name = "learnt \(step)" }
        if transfer.startedAt == nil, self.dice.chance(20) { transfer.startedAt = self.now }
        transfer.rate = self.dice.pick([nil, 0, 10, 10, 10])
        if self.dice.chance(4) {
            transfer.attempt += 1
            transfer.bytes = 0
        }
        self.broadcaster.table.update(transfer)
        self.touched.insert(id)
    }

    private func turn(isTick: Bool) {
        if isTick { self.tick += 1 }
        self.broadcaster.turn(
            at: self.now,
            clock: .milliseconds(Int(self.tick) * 100),
            tick: isTick ? self.tick : nil,
            sink: self.sockets
        )
        for id in self.touched { if let row = self.broadcaster.table[id] { self.truth.see(row) } }
        self.touched = []
        if self.isForgetful, self.dice.chance(30) {
            self.broadcaster.table.forget(
                clock: .milliseconds(Int(self.tick) * 100),
                keptRows: self.keptRows,
                keptTime: .milliseconds(300)
            )
        }
        if self.isForgetful, !self.isAtRest, self.dice.chance(1) { self.clear() }
    }

    /// Somebody clears the history, or some of it.
    private func clear() {
        let ids = self.ids.prefix(self.born).filter { id in
            self.truth.ended[id] != nil && self.truth.removed[id] == nil && self.dice.chance(80)
                && self.broadcaster.table[id]?.isGone != true
        }
        if self.dice.chance(50) {
            for id in ids { if let transfer = self.truth.transfers[id] { self.broadcaster.table.bury(transfer) } }
            self.touched.formUnion(ids)
            return
        }
        let asked = self.broadcaster.namedRows(missingAfterClearing: Set(ids))
        let past = asked.subtracting(ids).filter { self.truth.removed[$0] == nil }
            .compactMap { self.truth.transfers[$0] }
        self.broadcaster.clear(
            Set(ids),
            named: Dictionary(uniqueKeysWithValues: past.map { ($0.id, .past($0)) }),
            at: self.now,
            sink: self.sockets
        )
        // What waited for a number goes with the next turn, and is told as `removed`.
        for id in ids {
            if self.broadcaster.table[id] == nil {
                self.truth.removed[id] = self.broadcaster.table.seq
            } else {
                self.touched.insert(id)
            }
        }
    }

    // MARK: - What viewers do

    private func makeFilters() {
        var filters = [Command.Filter()]
        var some = Command.Filter()
        some.groups = ["a"]
        filters.append(some)
        some.kinds = [.demo, .upload]
        filters.append(some)
        some.groups = []
        filters.append(some)
        for count in [1, 8, 60] {
            var named = Command.Filter()
            // Some are there, some are not yet, and some never will be.
            named.ids = Set((0..<count).map { _ in self.dice.pick(self.ids) })
            filters.append(named)
            if count == 60 {
                named.groups = ["b", "c"]
                filters.append(named)
            }
        }
        self.filters = filters
        for filter in filters { self.epochs[self.epoch(of: filter)] = filter }
    }

    /// Asks another broadcaster of the same run, which has the same epochs.
    private func epoch(of filter: Command.Filter) -> String {
        var other = Broadcaster(self.configuration)
        let sockets = FakeSockets()
        let reader = ReaderID(raw: 0)
        sockets.sockets[reader] = FakeSockets.Socket()
        let terms = Terms(filter: filter, interval: nil, framing: .webSocket)
        other.join(reader, terms, resume: nil, named: [], at: self.now, sink: sockets)
        let client = FoldingClient(truth: self.truth)
        client.take((try? Wire.frames(sockets.take(reader).flatMap { $0 }, .webSocket)) ?? [])
        return client.epoch
    }

    private func arrive() {
        let client = FoldingClient(truth: self.truth)
        client.filters = self.epochs
        let viewer = Viewer(
            reader: ReaderID(raw: 0),
            client: client,
            filter: self.dice.pick(self.filters),
            framing: self.dice.pick([.webSocket, .webSocketBatch, .eventStream])
        )
        self.viewers.append(viewer)
        self.connect(self.viewers.count - 1)
    }

    /// A viewer comes, or comes back with what it saw last, or with something that it made up.
    private func connect(_ index: Int) {
        self.readers += 1
        let reader = ReaderID(raw: self.readers)
        self.viewers[index].reader = reader
        self.viewers[index].refs = []
        let viewer = self.viewers[index]
        var resume: ResumePoint?
        if !viewer.client.epoch.isEmpty, self.dice.chance(90) {
            let point = viewer.client.point
            resume = ResumePoint(epoch: viewer.client.epoch, seq: point)
            if self.dice.chance(8) { resume?.seq = point - min(point, UInt64(self.dice.number(0...30))) }
            if self.dice.chance(4) { resume?.seq = self.broadcaster.table.seq + 1 }
            if self.dice.chance(3) { resume?.epoch = "bogus" }
            if self.dice.chance(3) { resume?.epoch = self.dice.pick(Array(self.epochs.keys).sorted()) }
        }
        var honoured: UInt64?
        if let resume, resume.epoch == self.epoch(of: viewer.filter), resume.seq > 0,
            resume.seq >= self.broadcaster.table.horizon, resume.seq <= self.broadcaster.table.seq
        {
            // Another filter's point would be a lie of the client, and not a promise of the server.
            guard resume.epoch == viewer.client.epoch else { return self.connect(index) }
            honoured = resume.seq
        }
        viewer.client.connect(bringing: honoured)
        self.sockets.sockets[reader] = FakeSockets.Socket()
        self.sockets.sockets[reader]?.chokes = self.dice.chance(30) ? 0 : self.chokes
        self.broadcaster.join(
            reader,
            Terms(filter: viewer.filter, interval: self.interval(), framing: viewer.framing),
            resume: resume,
            named: self.named(viewer.filter),
            at: self.now,
            sink: self.sockets
        )
    }

    private func interval() -> Int64? { self.dice.pick([nil, 100, 500, 1000]) }

    private func named(_ filter: Command.Filter) -> [NamedRow] {
        filter.ids.filter { self.broadcaster.table[$0] == nil }.map { id in
            guard let past = self.truth.transfers[id], self.truth.removed[id] == nil else { return .missing(id) }
            return .past(past)
        }
    }

    private func visitors() {
        if self.viewers.count < 9, self.dice.chance(3) { self.arrive() }
        for index in self.viewers.indices {
            let reader = self.viewers[index].reader
            if self.dice.chance(50) { self.read(index, all: true) }
            if self.dice.chance(60) { self.drain(reader) }
            if self.dice.chance(3) { self.answer(reader, about: nil) }
            if self.dice.chance(2) { self.broadcaster.pace(reader, interval: self.interval(), sink: self.sockets) }
            if self.dice.chance(1) {
                let filter = self.dice.pick(self.filters)
                self.viewers[index].filter = filter
                self.broadcaster.watch(reader, filter, named: self.named(filter), at: self.now, sink: self.sockets)
            }
            if self.dice.chance(1) {
                let named = self.named(self.broadcaster.filter(of: reader) ?? Command.Filter())
                self.broadcaster.sync(reader, named: named, at: self.now, sink: self.sockets)
            }
            if self.dice.chance(self.cuts) { self.cut(index) }
        }
    }

    /// The connection breaks, and with it goes what was on its way.
    private func cut(_ index: Int) {
        let reader = self.viewers[index].reader
        if self.dice.chance(50) {
            // The edge knows before we do.
            self.sockets.sockets[reader]?.isGone = true
            self.happen()
            self.turn(isTick: false)
        }
        self.read(index, all: false)
        self.broadcaster.leave(reader)
        self.sockets.sockets[reader] = nil
        self.connect(index)
    }

    private func read(_ index: Int, all: Bool) {
        let viewer = self.viewers[index]
        do {
            let buffers = self.sockets.take(viewer.reader)
            var frames = try buffers.flatMap { try Wire.frames($0, viewer.framing, &self.known) }
            if !all { frames.removeLast(min(frames.count, self.dice.pick([0, 1, 5, 40]))) }
            viewer.client.take(frames)
        } catch {
            self.faults.append("\(error)")
        }
    }

    private func drain(_ reader: ReaderID) {
        if self.sockets.drain(reader) { self.broadcaster.drained(reader, sink: self.sockets) }
    }

    // MARK: - The end

    private func rest() {
        self.isAtRest = true
        for index in self.viewers.indices { self.sockets.sockets[self.viewers[index].reader]?.chokes = 0 }
        for _ in 0..<25 {
            for _ in 0..<6 { for viewer in self.viewers { self.drain(viewer.reader) } }
            self.turn(isTick: true)
        }
        for index in self.viewers.indices {
            self.read(index, all: true)
            self.compare(self.viewers[index])
        }
        self.faults += self.sockets.faults
    }

    private func compare(_ viewer: Viewer) {
        let client = viewer.client
        func fault(_ what: String) { self.faults.append("\(viewer.reader.raw) (\(viewer.framing)): \(what)") }
        for fault in client.faults { self.faults.append("\(viewer.reader.raw) (\(viewer.framing)): \(fault)") }
        if !client.isReady { fault("never ready") }
        if client.point < self.broadcaster.table.seq { fault("not level: \(client.point)") }
        if client.acks != viewer.refs { fault("answers \(client.acks) instead of \(viewer.refs)") }
        if self.sockets.sockets[viewer.reader]?.isReadingPaused != false { fault("still paused") }
        let seen = self.truth.transfers.values.filter {
            viewer.filter.matches(id: $0.id, group: $0.group, kind: $0.kind)
        }
        let newest = seen.filter { self.truth.removed[$0.id] == nil }.compactMap { self.truth.ended[$0.id] }
            .sorted().suffix(50)
        for transfer in seen {
            let id = transfer.id
            guard self.truth.removed[id] == nil else {
                if client.table[id] != nil { fault("eternal row \(id)") }
                continue
            }
            guard let held = client.table[id] else {
                let isKept = self.broadcaster.table[id] != nil
                let isOwed = transfer.outcome == nil || newest.contains(self.truth.ended[id] ?? 0)
                if isKept, isOwed { fault("lacks \(id)") }
                continue
            }
            if held != transfer { fault("holds \(held) instead of \(transfer)") }
        }
        for id in client.table.keys where self.truth.transfers[id] == nil { fault("holds a stranger \(id)") }
    }
}
