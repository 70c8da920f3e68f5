// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// What happens to transfers.
extension RandomRoom {
    func restore() {
        let transfers = (0..<self.dice.number(1...90)).map { _ -> Transfer in
            var transfer = self.birth()
            if self.dice.chance(80) { self.end(&transfer) }
            return transfer
        }
        self.broadcaster.table.restore(transfers, at: self.now)
        self.live = transfers.filter { $0.outcome == nil }.map(\.id)
        for transfer in transfers { if let row = self.broadcaster.table[transfer.id] { self.truth.see(row) } }
    }

    func birth() -> Transfer {
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

    func end(_ transfer: inout Transfer) {
        let outcome = self.dice.pick(Outcome.allCases)
        transfer.state = outcome.state
        transfer.outcome = outcome
        if outcome == .succeeded { transfer.total = transfer.bytes }
        transfer.finishedAt = self.now
        transfer.rate = nil
    }

    func happen() {
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

    func beBorn() {
        for _ in 0..<self.dice.pick([0, 0, 0, 1, 1, 3]) where self.born < self.ids.count {
            let transfer = self.birth()
            self.broadcaster.table.insert(transfer)
            self.touched.insert(transfer.id)
            self.live.append(transfer.id)
            guard self.dice.chance(50), let viewer = self.viewers.randomElement(using: &self.dice) else { continue }
            self.answer(viewer.reader, about: transfer.id)
        }
    }

    func answer(_ reader: ReaderID, about id: TransferID?) {
        guard let index = self.viewers.firstIndex(where: { $0.reader == reader }) else { return }
        self.refs += 1
        let ref = "\(self.refs)"
        self.viewers[index].refs.append(ref)
        if let id { self.viewers[index].client.awaited[id] = ref }
        self.broadcaster.answer(reader, Frame.Ack(ref: ref, id: id, error: nil), sink: self.sockets)
    }

    func move(_ id: TransferID) {
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
}
