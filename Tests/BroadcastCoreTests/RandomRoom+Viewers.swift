// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// What viewers do.
extension RandomRoom {
    func arrive() {
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
    func connect(_ index: Int) {
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
        if let resume, resume.epoch == self.epochs.first(where: { $0.value == viewer.filter })?.key, resume.seq > 0,
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

    func interval() -> Int64? { self.dice.pick([nil, 100, 500, 1000]) }

    func named(_ filter: Command.Filter) -> [NamedRow] {
        filter.ids.filter { self.broadcaster.table[$0] == nil }.map { id in
            guard let past = self.truth.transfers[id], self.truth.removed[id] == nil else { return .missing(id) }
            return .past(past)
        }
    }

    func visitors() {
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
    func cut(_ index: Int) {
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

    func read(_ index: Int, all: Bool) {
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

    func drain(_ reader: ReaderID) {
        if self.sockets.drain(reader) { self.broadcaster.drained(reader, sink: self.sockets) }
    }
}
