// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferCore
import WebServer

/// Fetching and pushing in one.
extension Coordinator {
    /// A relay of those; each is told by `Job.Push.relay`.
    func makeRelay(of members: [TransferID], from link: SourceLink) -> TransferID {
        let handle = self.engine.reserve()
        let engine = self.engine
        let id = self.newID(at: self.clock.now())
        let buffer = RelayBuffer { engine.resume(handle) }
        var relay = Relay(id: id, link: link, buffer: buffer, handle: handle)
        for (number, member) in members.enumerated() {
            relay.members[member] = number
            buffer.join(number)
            self.withPush(member) { $0.relay = id }
        }
        self.relays[id] = relay
        return id
    }

    /// A member wants a place; when all do, the relay stands in line.
    func askInRelay(_ member: TransferID, _ push: Job.Push, from link: SourceLink) {
        let id = push.relay ?? self.makeRelay(of: [member], from: link)
        self.relays[id]?.asked.insert(member)
        self.enterIfComplete(id)
    }

    private func enterIfComplete(_ id: TransferID) {
        guard let relay = self.relays[id], case .waiting = relay.phase, relay.isComplete else { return }
        let members = relay.members.keys.compactMap { self.jobs[$0] }
        self.queue.enter(
            id,
            host: relay.link.host,
            place: members.map(\.place).min(),
            priority: members.map(\.transfer.priority).max() ?? 0,
            isHastened: members.contains { $0.isHastened }
        )
        self.admit()
    }

    /// The relay has its place: all go.
    func admitRelay(_ relay: Relay) {
        for member in relay.members.keys { self.drive(member) { $0.admitted(at: $1) } }
    }

    /// A member wants to send: the source is requested when all do, and again for one that its relay has left behind.
    func sendInRelay(_ member: TransferID, from link: SourceLink) {
        guard case .push(let push) = self.jobs[member]?.driver else { return }
        guard let id = push.relay, let relay = self.relays[id] else {
            return self.requestAnew(member, from: link)
        }
        switch relay.phase {
        case .waiting:
            self.relays[id]?.ready.insert(member)
            self.requestIfReady(id)
        case .requested: break
        case .flowing(let body):
            // Sent on to another place: what came is still there, or has to be requested again.
            guard let number = relay.members[member], relay.buffer.rewind(number) else {
                self.leaveRelay(member)
                return self.requestAnew(member, from: link)
            }
            self.sendRelayed(member, relay, body)
        }
    }

    /// It holds its place already, or did; nobody else is waited for.
    private func requestAnew(_ member: TransferID, from link: SourceLink) {
        let id = self.makeRelay(of: [member], from: link)
        self.relays[id]?.ready.insert(member)
        self.requestIfReady(id)
    }

    private func requestIfReady(_ id: TransferID) {
        guard let relay = self.relays[id], case .waiting = relay.phase, relay.isReady, !relay.members.isEmpty else {
            return
        }
        self.relays[id]?.phase = .requested
        let sink = RelaySink(relay.buffer, clock: self.clock) { event in
            self.loop.post { self.assumeIsolated { $0.heard(event, ofRelay: id) } }
        }
        var request = DownloadRequest(url: relay.link.url)
        request.stallTimeout = .milliseconds(self.configuration.stallLimit)
        request.minimumRate = self.configuration.minimumRate
        request.minimumRateWindow = request.stallTimeout
        _ = self.engine.start(request, as: relay.handle, receiver: sink)
    }

    private func heard(_ event: RelaySink.Event, ofRelay id: TransferID) {
        guard let relay = self.relays[id] else { return }
        switch event {
        case .head(let body):
            self.relays[id]?.phase = .flowing(body)
            for member in relay.members.keys { self.sendRelayed(member, relay, body) }
        case .ended(let problem, let retryAfter):
            guard case .requested = relay.phase, let problem else { return }  // else the window tells it
            for member in relay.members.keys {
                var facts = PushFacts(sent: 0, total: nil, problem: problem)
                facts.retryAfter = retryAfter
                self.sendingEnded(member, facts, wasStopped: false)
            }
        }
    }

    private func sendRelayed(_ member: TransferID, _ relay: Relay, _ body: HeadVerdict.Body) {
        guard let number = relay.members[member], case .push(let push) = self.jobs[member]?.driver, push.isSending,
            !push.isStopping
        else { return }
        self.drive(member) { machine, _ in
            machine.sourceKnown(total: body.total, name: body.name)
            return []
        }
        let handle = self.engine.reserve()
        let engine = self.engine
        let source = RelayedSource(relay.buffer, reader: number, total: body.total) { engine.resume(handle) }
        self.send(member, source, as: handle)
    }

    /// A member has ended, or tries again by itself: the others are not held up by it, and without any the source is
    /// left alone.
    func leaveRelay(_ member: TransferID) {
        guard case .push(var push) = self.jobs[member]?.driver, let id = push.relay else { return }
        push.relay = nil
        self.jobs[member]?.driver = .push(push)
        guard let number = self.relays[id]?.members.removeValue(forKey: member) else { return }
        self.relays[id]?.asked.remove(member)
        self.relays[id]?.ready.remove(member)
        guard let relay = self.relays[id] else { return }
        relay.buffer.leave(number)
        guard !relay.members.isEmpty else {
            self.relays[id] = nil
            self.queue.leave(id)
            if case .waiting = relay.phase {} else { self.engine.stop(relay.handle) }
            return
        }
        self.enterIfComplete(id)
        self.requestIfReady(id)
    }

    func withPush(_ id: TransferID, _ change: (inout Job.Push) -> Void) {
        guard case .push(var push) = self.jobs[id]?.driver else { return }
        change(&push)
        self.jobs[id]?.driver = .push(push)
    }

    func newID(at moment: Moment) -> TransferID {
        TransferID(milliseconds: moment.at.milliseconds, random: (self.random.next(), self.random.next()))
    }
}
