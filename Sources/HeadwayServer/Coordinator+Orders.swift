// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Lets something happen to a transfer: its machine decides, its row follows, its orders are carried out.
    func drive(_ id: TransferID, _ event: (inout TransferMachine, Moment) -> [TransferMachine.Order]) {
        guard self.jobs[id] != nil else { return }
        let moment = self.clock.now()
        let before = self.jobs[id]?.transfer.state
        let orders = self.jobs[id].map { job in
            var job = job
            let orders = event(&job.machine, moment)
            self.count(job.transfer.kind, from: self.jobs[id]?.transfer.bytes ?? 0, to: job.transfer.bytes)
            self.jobs[id] = job
            return orders
        }
        self.follow(id, from: before, orders ?? [])
        self.show(id)
        self.carryOut(orders ?? [], for: id)
    }

    /// Takes into the sampled ones who begins to move, and out who stops; and lets the history know its new state, so
    /// that a list by states is right.
    func follow(_ id: TransferID, from before: TransferState?, _ orders: [TransferMachine.Order]) {
        if orders.contains(.ask) { self.takePlace(id) }
        if self.jobs[id]?.transfer.state == .paused { self.jobs[id]?.isHastened = false }
        guard let job = self.jobs[id] else { return }
        if job.transfer.state == .running {
            self.moving.insert(id)
            // From now on its own figures say what it needs.
            self.held[id] = nil
        } else {
            self.moving.remove(id)
        }
        guard job.transfer.outcome == nil else { return }
        self.stories.observe(job.transfer, at: self.clock.now())
        guard job.transfer.state != before, !orders.contains(.save), !orders.contains(.end)
        else { return }
        self.folder.store.enqueue(self.record(of: job))
    }

    /// Puts the row where the machine is.
    ///
    /// An end is shown only once it is durable.
    func show(_ id: TransferID) {
        guard let transfer = self.jobs[id]?.transfer, transfer.outcome == nil else { return }
        self.followArrival(transfer)
        self.broadcaster.table.update(transfer)
        self.planTurn()
    }

    /// Carries out what a machine ordered, in order.
    func carryOut(_ orders: [TransferMachine.Order], for id: TransferID) {
        for order in orders { self.carryOut(order, for: id) }
    }

    private func carryOut(_ order: TransferMachine.Order, for id: TransferID) {
        switch order {
        case .ask: self.ask(id)
        case .giveBack:
            self.queue.leave(id)
            self.leaveRelay(id)
            self.admit()
        case .fetch(let offset, let ifRange): self.fetch(id, from: offset, ifRange: ifRange)
        case .stopFetching: self.stopFetching(id)
        case .truncate: break  // a fetch from 0 opens the part afresh
        case .stopReceiving: self.stopReceiving(id)
        case .finish(let expected): self.finish(id, expected: expected)
        case .stopFinishing: self.jobs[id]?.wantsPublishing = false
        case .discardPart, .discardFile: self.discard(id, file: order == .discardFile)
        case .wake(let after):
            self.loop.schedule(after: after) {
                self.assumeIsolated { $0.drive(id) { $0.timerFired(at: $1) } }
            }
        case .save:
            if let record = self.jobs[id].map(self.record(of:)) { self.folder.store.enqueue(record) }
        case .end: self.end(id)
        }
    }

    private func ask(_ id: TransferID) {
        guard let job = self.jobs[id], !self.isStopping else { return }
        self.jobs[id]?.askedAt = self.clock.elapsed
        switch job.driver {
        case .demo: self.drive(id) { $0.admitted(at: $1) }
        case .upload: break  // its sender decides when
        case .task(var lease):
            lease.heardAt = self.clock.now().clock
            self.jobs[id]?.driver = .task(lease)
            self.drive(id) { $0.reportingBegan(at: $1) }
        case .push(let push):
            if let source = push.source { return self.askInRelay(id, push, from: source) }
            // What waits for another one's bytes holds no place, or the line could be full of those that wait for its end.
            if self.isArriving(push.order) { return self.drive(id) { $0.admitted(at: $1) } }
            self.enterLine(id, job, host: push.link.host)
            self.admit()
        case .download(let download):
            self.enterLine(id, job, host: download.link.host)
            if self.space.hold != nil { self.hold(id) }
            self.admit()
        }
    }

    func admit() {
        guard !self.isStopping, !self.isRestoring, self.space.hold == nil else { return }
        for id in self.queue.admit() {
            if let relay = self.relays[id] {
                self.admitRelay(relay)
                continue
            }
            if let job = self.jobs[id] { self.metrics.admission.observe(self.clock.elapsed - job.askedAt) }
            self.drive(id) { $0.admitted(at: $1) }
        }
    }
}
