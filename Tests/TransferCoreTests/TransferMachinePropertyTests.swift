// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

/// Plays random events, sensible and senseless, against the machine and checks every rule after each.
@Suite struct TransferMachinePropertyTests {
    @Test(arguments: UInt64(1)...20)
    func `whatever happens, the rules hold`(seed: UInt64) {
        for run in 0..<150 {
            var world = World(seed: seed &* 1000 &+ UInt64(run))
            world.play(events: 120)
        }
    }

    @Test(arguments: UInt64(1)...5)
    func `whoever is left in peace ends`(seed: UInt64) {
        for run in 0..<50 {
            var world = World(seed: seed &* 77_777 &+ UInt64(run))
            world.play(events: 40)
            world.leaveInPeace()
            #expect(world.machine.isEnded, "seed \(seed), run \(run): \(world.machine.transfer.state)")
        }
    }
}

/// A coordinator, an origin and a disk that obey the orders, and do what they like otherwise.
private struct World {
    var machine = newMachine()
    private var random: SplitMix64
    private var now: Int64 = 0
    private var fetchRuns = false
    private var hasHead = false
    private var bodyFlows = false
    private var held: Int64 = 0
    private var hasPlace = false
    private var hasAsked = false
    private var isFinishing = false
    private var ends = 0

    init(seed: UInt64) {
        self.random = SplitMix64(seed: seed)
        let orders = self.machine.begin()
        self.obey(orders)
    }

    mutating func play(events: Int) {
        for _ in 0..<events { self.step(Int.random(in: 0..<16, using: &self.random)) }
    }

    /// No more commands and faults: every order is answered well.
    mutating func leaveInPeace() {
        for _ in 0..<400 where !self.machine.isEnded {
            self.now += 700_000
            let moment = moment(self.now)
            if self.hasAsked { self.act { $0.admitted(at: moment) } }
            if self.fetchRuns {
                let offset = self.held
                if !self.hasHead {
                    self.bodyFlows = true
                    self.act { $0.headArrived(take(from: offset), bytes: offset, at: moment) }
                }
                if self.fetchRuns {
                    if self.bodyFlows { self.held = max(self.held, 1000) }
                    self.endFetch(self.machine.transfer.bytes < offset ? .stopped : .finished)
                }
            }
            if self.isFinishing {
                self.isFinishing = false
                self.act { $0.published(name: "n", href: "h", digest: nil, at: moment) }
            }
            if self.machine.transfer.state == .paused { self.act { (try? $0.resume(at: moment)) ?? [] } }
            self.act { $0.timerFired(at: moment) }
        }
    }

    private mutating func step(_ choice: Int) {
        self.now += Int64.random(in: 0...3000, using: &self.random)
        let moment = moment(self.now)
        switch choice {
        case 0, 1: if self.hasAsked { self.act { $0.admitted(at: moment) } }
        case 2, 3:
            let verdict = self.verdict()
            let held = self.held
            guard self.fetchRuns, !self.hasHead else { return }
            self.hasHead = true
            if case .take = verdict { self.bodyFlows = true }
            self.act { $0.headArrived(verdict, bytes: held, at: moment) }
        case 4, 5, 6:
            if self.bodyFlows { self.held += Int64.random(in: 0...300, using: &self.random) }
            let held = self.held
            self.act { machine in
                _ = machine.sampled(bytes: held, at: moment)
                return []
            }
        case 7, 8:
            guard self.fetchRuns else { return }
            self.endFetch([.finished, .stopped, broken, broken].randomElement(using: &self.random) ?? .finished)
        case 9:
            guard self.isFinishing else { return }
            self.isFinishing = false
            if Bool.random(using: &self.random) {
                self.act { $0.published(name: "n", href: "h", digest: nil, at: moment) }
            } else {
                let isFinal = Bool.random(using: &self.random)
                self.act { $0.publishFailed(Problem(.diskFull, "full"), final: isFinal, at: moment) }
            }
        case 10: self.act { (try? $0.pause(at: moment)) ?? [] }
        case 11, 12: self.act { (try? $0.resume(at: moment)) ?? [] }
        case 13:
            guard Int.random(in: 0..<4, using: &self.random) == 0 else { return }
            self.act { (try? $0.cancel(at: moment)) ?? [] }
        case 14:
            guard Int.random(in: 0..<8, using: &self.random) == 0 else { return }
            self.act { $0.diskFailed(Problem(.diskError, "EIO"), at: moment) }
        default: self.act { $0.timerFired(at: moment) }
        }
    }

    private mutating func verdict() -> HeadVerdict {
        let total: Int64? = [nil, 600, 1000, 1000, 1000].randomElement(using: &self.random) ?? nil
        let validator: String? = ["\"v1\"", "\"v1\"", nil].randomElement(using: &self.random) ?? nil
        switch Int.random(in: 0..<8, using: &self.random) {
        case 0: return .restart(reason: .sourceChanged, note: "changed")
        case 1: return .refuse(Problem(.remoteStatus, "503", retryable: true), retryAfter: .seconds(3))
        case 2: return .alreadyWhole
        default:
            let isFramed = Bool.random(using: &self.random)
            return take(from: self.held, total: total, isFramed: isFramed, validator: validator)
        }
    }

    private mutating func endFetch(_ end: FetchEnd) {
        self.fetchRuns = false
        self.bodyFlows = false
        self.hasHead = false
        let moment = moment(self.now)
        let held = self.held
        self.act { $0.fetchEnded(end, bytes: held, at: moment) }
    }

    private mutating func act(_ event: (inout TransferMachine) -> [TransferMachine.Order]) {
        let before = self.machine.transfer
        let wasEnded = self.machine.isEnded
        let orders = event(&self.machine)
        let after = self.machine.transfer
        if wasEnded { #expect(after == before && !orders.contains(.end)) }
        if let total = after.total { #expect(after.bytes <= total) }
        #expect(after.bytes >= before.bytes || after.attempt > before.attempt)
        #expect(after.attempt >= before.attempt)
        if before.state == .retrying, after.state != .retrying, after.outcome == nil {
            #expect(after.attempt > before.attempt)
        }
        #expect(after.state == .running || (after.rate == nil && after.eta == nil))
        #expect((after.rate ?? 0) >= 0 && (after.eta ?? 0) >= 0)
        #expect((after.outcome == nil) == (after.finishedAt == nil))
        #expect(after.outcome == nil || after.outcome?.state == after.state)
        #expect((after.error != nil) == (after.outcome == .failed))
        #expect(
            (after.retryAt != nil)
                == (wake(in: orders) != nil || (after.retryAt == before.retryAt && after.retryAt != nil))
        )
        #expect((after.elapsed ?? 0) >= (before.elapsed ?? 0))
        if after.outcome == .succeeded, before.outcome == nil {
            #expect(after.total == after.bytes)
            #expect(before.state == .finishing && before.bytes == after.bytes && before.total == after.total)
        }
        self.obey(orders)
        #expect(self.ends == (self.machine.isEnded ? 1 : 0))
        if self.machine.isEnded { #expect(!self.fetchRuns && !self.hasPlace && !self.hasAsked) }
        if self.fetchRuns { #expect(self.hasPlace) }
    }

    private mutating func obey(_ orders: [TransferMachine.Order]) {
        // The place is granted by the event, before its orders.
        if self.hasAsked, self.machine.transfer.state != .queued {
            self.hasAsked = false
            self.hasPlace = true
        }
        for order in orders {
            switch order {
            case .ask:
                #expect(!self.hasPlace && !self.hasAsked)
                self.hasAsked = true
            case .giveBack:
                #expect(self.hasPlace || self.hasAsked)
                self.hasPlace = false
                self.hasAsked = false
            case .fetch(let offset, let ifRange):
                #expect(!self.fetchRuns && offset == self.held)
                #expect(offset == 0 || ifRange != nil)
                self.fetchRuns = true
            case .stopFetching: #expect(self.fetchRuns)
            case .truncate:
                #expect(!self.fetchRuns)
                self.held = 0
            case .finish:
                #expect(!self.isFinishing && !self.fetchRuns && self.held == self.machine.transfer.bytes)
                self.isFinishing = true
            case .stopReceiving: Issue.record("nothing comes in")
            case .stopFinishing: #expect(self.isFinishing)
            case .discardPart, .discardFile: #expect(!self.fetchRuns && !self.isFinishing)
            case .wake(let delay):
                #expect(delay >= .zero)
            case .save: break
            case .end: self.ends += 1
            }
        }
    }
}
