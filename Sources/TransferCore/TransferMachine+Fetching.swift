// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

extension TransferMachine {
    /// Nothing begins for now, and why; nil: that is over.
    ///
    /// It stays where it is in the line. True if the row changed.
    package mutating func heldBack(by problem: Problem?) -> Bool {
        guard case .waiting = self.state else { return false }
        let before = (self.transfer.reason, self.transfer.note)
        if let problem {
            self.transfer.reason = problem.code
            self.transfer.note = problem.detail
        } else if self.transfer.reason == .diskFull {
            self.transfer.reason = nil
            self.transfer.note = nil
        }
        return before != (self.transfer.reason, self.transfer.note)
    }

    /// It has got its place.
    package mutating func admitted(at moment: Moment) -> [Order] {
        switch self.state {
        case .waiting: self.open(at: moment)
        case .fetching, .stopping: []
        case .receiving, .retrying, .paused, .finishing, .ended: [.giveBack]
        }
    }

    /// The final head of the answer came (those of redirects are not told), with what the part holds by now.
    ///
    /// It may have been under way when a pause was asked for: what it says of the part counts then too.
    package mutating func headArrived(_ verdict: HeadVerdict, bytes: Int64, at moment: Moment) -> [Order] {
        guard let fetching = self.fetchWithoutHead else { return [] }
        self.keepTime(moment)
        switch verdict {
        case .take(let body):
            if let (reason, why) = self.contradiction(of: body) { return self.restart(fetching, reason, why) }
            self.learn(body)
            self.advance(to: bytes)
            let rate = RateEstimator(bytes: max(bytes, body.from), at: moment.clock)
            self.replace(Fetching(lengthIsFramed: body.lengthIsFramed, end: body.end, rate: rate))
            self.transfer.rate = nil
            self.transfer.eta = nil
            return [.save]
        case .restart(let reason, let note):
            return self.restart(fetching, reason, note)
        case .alreadyWhole:
            self.transfer.total = self.transfer.bytes
            return self.stop(fetching, then: .finish)
        case .refuse(let problem, let retryAfter):
            return self.stop(fetching, then: .fail(problem, retryAfter: retryAfter))
        }
    }

    /// Why a body can't be put behind what is there; nil when it can.
    private func contradiction(of body: HeadVerdict.Body) -> (Problem.Code, String)? {
        let held = self.transfer.bytes
        guard body.from == held, body.total.map({ $0 >= held }) ?? true else {
            return (.remoteProtocol, "The server sent from byte \(body.from) instead of \(held)")
        }
        guard held > 0 else { return nil }
        if let total = body.total, let known = self.transfer.total, total != known {
            return (.sourceChanged, "The file had \(known) bytes and now has \(total)")
        }
        if let now = body.digest, let before = self.announced, now.algorithm == before.algorithm, now != before {
            return (.sourceChanged, "The server announced \(before.text) and now announces \(now.text)")
        }
        return nil
    }

    private mutating func learn(_ body: HeadVerdict.Body) {
        let isNew = body.from == 0
        self.transfer.total = isNew ? body.total : body.total ?? self.transfer.total
        self.validator = isNew ? body.validator : body.validator ?? self.validator
        self.announced = isNew ? body.digest : body.digest ?? self.announced
        self.coding = isNew ? body.coding : body.coding ?? self.coding
        if let name = body.name, !self.hasFixedName { self.transfer.name = name }
    }

    /// Opens the origin where the part ends; what is whole already needs no origin.
    mutating func open(at moment: Moment) -> [Order] {
        if self.part == .good, let total = self.transfer.total, self.transfer.bytes == total, total > 0 {
            return self.finish(at: moment)
        }
        if self.transfer.bytes > 0, self.validator == nil {
            self.startOver(.interrupted, "The server gives nothing by which the rest could be told to belong")
        }
        self.state = .fetching(Fetching(rate: RateEstimator(bytes: self.transfer.bytes, at: moment.clock)))
        self.show(.running, at: moment)
        self.transfer.startedAt = self.transfer.startedAt ?? moment.at
        guard self.part == .stale else { return [.fetch(offset: self.transfer.bytes, ifRange: self.validator)] }
        self.part = .good
        return [.truncate, .fetch(offset: 0, ifRange: nil)]
    }

    /// The running fetch, as long as nothing is known of its answer and the answer would count.
    private var fetchWithoutHead: Fetching? {
        switch self.state {
        case .fetching(let fetching), .stopping(let fetching, then: .pause), .stopping(let fetching, then: .goOn):
            self.part == .good && fetching.lengthIsFramed == nil ? fetching : nil
        case .stopping, .waiting, .receiving, .retrying, .paused, .finishing, .ended: nil
        }
    }

    private mutating func replace(_ fetching: Fetching) {
        if case .stopping(_, let intent) = self.state {
            self.state = .stopping(fetching, then: intent)
        } else {
            self.state = .fetching(fetching)
        }
    }

    /// Stops the fetch for what its head said; a pause that was asked for before stays one.
    private mutating func stop(_ fetching: Fetching, then intent: Intent) -> [Order] {
        guard case .stopping(_, let earlier) = self.state else {
            self.state = .stopping(fetching, then: intent)
            return [.stopFetching]
        }
        if earlier == .goOn { self.state = .stopping(fetching, then: intent) }
        return []
    }

    /// Gives up this fetch and the bytes, to ask from 0.
    private mutating func restart(_ fetching: Fetching, _ reason: Problem.Code, _ why: String) -> [Order] {
        self.startOver(reason, why)
        return [.save] + self.stop(fetching, then: .goOn)
    }

    private mutating func startOver(_ reason: Problem.Code, _ why: String) {
        self.transfer.attempt += 1
        self.transfer.bytes = 0
        self.transfer.rate = nil
        self.transfer.eta = nil
        self.transfer.reason = reason
        self.transfer.note = why + ": started again from 0"
        self.validator = nil
        self.announced = nil
        self.part = .stale
        self.isLengthUnverified = false
    }
}
