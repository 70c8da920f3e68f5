// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// A client that folds what it is told, and counts the promises that were broken.
final class FoldingClient {
    /// What it holds.
    private(set) var table: [TransferID: Transfer] = [:]
    /// The newest `seq`, and the epoch that it belongs to.
    private(set) var point: UInt64 = 0
    private(set) var epoch = ""
    private(set) var faults: [String] = []
    /// What it went through, to know that a test tried it.
    private(set) var helloes = 0
    private(set) var resumed = 0
    private(set) var sums = 0
    private(set) var isReady = false
    /// The marks of the answers, in order.
    private(set) var acks: [String] = []
    /// Rows of which nothing may be heard before their answer.
    var awaited: [TransferID: String] = [:]
    /// What each epoch lets through.
    var filters: [String: Command.Filter] = [:]

    private let truth: Truth
    private var brought: UInt64?
    private var isFirst = true
    private var started: Set<TransferID> = []
    private var completed: Set<TransferID> = []
    private var removed: Set<TransferID> = []
    private var firstRound: [TransferID: [String]] = [:]
    private var before: (id: TransferID, bytes: Int64)?

    init(truth: Truth) {
        self.truth = truth
    }

    /// A new connection begins; `point` is what it brings back where that has to be honoured.
    func connect(bringing point: UInt64?) {
        self.isFirst = true
        self.isReady = false
        self.brought = point
        self.awaited = [:]
        self.acks = []
    }

    func take(_ frames: [Frame]) {
        for frame in frames { self.take(frame) }
    }

    private func take(_ frame: Frame) {
        if let seq = frame.seq { self.follow(seq, frame) }
        defer {
            self.isFirst = false
            if case .progress(_, _, let figures) = frame {
                self.before = (figures.id, figures.bytes)
            } else {
                self.before = nil
            }
        }
        switch frame {
        case .hello(let hello): self.begin(hello)
        case .start(_, _, let transfer):
            self.check(transfer, in: "start")
            if self.started.contains(transfer.id) { self.fault("second start", transfer.id) }
            self.started.insert(transfer.id)
            self.table[transfer.id] = transfer
        case .progress(_, _, let figures):
            guard var transfer = self.table[figures.id] else { return self.fault("no start", figures.id) }
            figures.apply(to: &transfer)
            self.check(transfer, in: "progress")
            self.table[figures.id] = transfer
        case .complete(_, _, let transfer):
            self.check(transfer, in: "complete")
            if !self.started.contains(transfer.id) { self.fault("complete without start", transfer.id) }
            if transfer.outcome == nil { self.fault("complete without outcome", transfer.id) }
            if self.before?.id != transfer.id || self.before?.bytes != transfer.bytes {
                self.fault("no progress before complete", transfer.id)
            }
            self.completed.insert(transfer.id)
            self.table[transfer.id] = transfer
        case .removed(_, _, let id, let outcome):
            if self.removed.contains(id) { self.fault("second removed", id) }
            if outcome != nil || self.table[id] != nil { self.removed.insert(id) }
            self.noteFirstRound(id, "removed")
            self.table[id] = nil
        case .ready(let seq): self.ready(seq)
        case .heartbeat(_, _, let open, let sum): self.compare(open: open, sum: sum)
        case .ack(let ack):
            self.acks.append(ack.ref ?? "")
            if let id = ack.id, self.awaited[id] == ack.ref { self.awaited[id] = nil }
        case .unknown(let type): self.faults.append("unknown frame \(type)")
        }
    }

    private func follow(_ seq: UInt64, _ frame: Frame) {
        // One may come back with an older point than it had.
        if case .hello(let hello) = frame { self.point = hello.resumed && self.isFirst ? hello.seq : 0 }
        if seq < self.point { self.faults.append("seq falls from \(self.point) to \(seq)") }
        self.point = max(self.point, seq)
    }

    private func begin(_ hello: Frame.Hello) {
        self.helloes += 1
        if self.isFirst, hello.resumed != (self.brought != nil) {
            self.faults.append("resumed is \(hello.resumed) for \(self.brought.map(String.init) ?? "nothing")")
        }
        if !self.isFirst, hello.resumed { self.faults.append("resumed in the middle") }
        self.epoch = hello.epoch
        self.isReady = false
        self.firstRound = [:]
        if hello.resumed {
            self.resumed += 1
            if hello.seq != self.brought { self.faults.append("hello says another seq") }
            // What is above its point may be told again.
            self.started = self.started.filter { self.truth.started[$0] ?? 0 <= hello.seq }
            self.completed = self.completed.filter { self.truth.ended[$0] ?? 0 <= hello.seq }
            self.removed = self.removed.filter { self.truth.removed[$0] ?? 0 <= hello.seq }
        } else {
            self.table = [:]
            self.started = []
            self.completed = []
            self.removed = []
        }
    }

    private func check(_ transfer: Transfer, in type: String) {
        if self.isFirst { self.fault("\(type) before hello", transfer.id) }
        if self.completed.contains(transfer.id) { self.fault("\(type) after complete", transfer.id) }
        if self.removed.contains(transfer.id) { self.fault("\(type) after removed", transfer.id) }
        if let total = transfer.total, transfer.bytes > total { self.fault("bytes > total", transfer.id) }
        if let ref = self.awaited[transfer.id] { self.fault("\(type) before its answer \(ref)", transfer.id) }
        if let filter = self.filters[self.epoch],
            !filter.matches(id: transfer.id, group: transfer.group, kind: transfer.kind)
        {
            self.fault("\(type) outside the filter", transfer.id)
        }
        self.noteFirstRound(transfer.id, type)
    }

    /// One walk tells each row once.
    private func noteFirstRound(_ id: TransferID, _ type: String) {
        guard !self.isReady else { return }
        let told = self.firstRound[id, default: []]
        let isOnce =
            switch type {
            case "progress": told == [] || told == ["start"]
            case "complete": told.last == "progress"
            default: told == []
            }
        // A row may be there and nowhere before: named, missing, and born before the walk got to it.
        if !isOnce, !(type == "start" && told == ["removed"]) { self.fault("\(type) after \(told) before ready", id) }
        self.firstRound[id, default: []].append(type)
    }

    private func ready(_ seq: UInt64) {
        if self.isReady { self.faults.append("second ready") }
        self.isReady = true
        for (id, transfer) in self.truth.transfers where self.truth.ended[id] == nil && self.truth.removed[id] == nil {
            guard let started = self.truth.started[id], started <= seq, self.table[id] == nil else { continue }
            guard let filter = self.filters[self.epoch] else { continue }
            if filter.matches(id: id, group: transfer.group, kind: transfer.kind) { self.fault("ready without it", id) }
        }
    }

    private func compare(open: Int64?, sum: Int64?) {
        guard let open, let sum else { return }
        self.sums += 1
        let unfinished = self.table.values.filter { $0.outcome == nil }
        let bytes = unfinished.reduce(0) { ($0 + $1.bytes) & (1 << 53 - 1) }
        if open != unfinished.count { self.faults.append("heartbeat: open \(open), have \(unfinished.count)") }
        if sum != bytes { self.faults.append("heartbeat: sum \(sum), have \(bytes)") }
    }

    private func fault(_ what: String, _ id: TransferID) {
        self.faults.append("\(what): \(id), seq \(self.point)")
    }
}
