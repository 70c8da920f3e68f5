// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

extension TransferMachine {
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

    /// The tick: what the part holds by now; true if the row changed.
    package mutating func sampled(bytes: Int64, at moment: Moment) -> Bool {
        let before = (self.transfer.bytes, self.transfer.rate, self.transfer.eta)
        switch self.state {
        // All is sent, and the other side has yet to answer.
        case .fetching where self.transfer.state == .finishing: self.keepTime(moment)
        case .fetching(var fetching):
            self.keepTime(moment)
            // Before the head it is not known what the bytes are, nor where they begin.
            if fetching.lengthIsFramed != nil {
                self.advance(to: bytes)
                fetching.rate.observe(bytes: bytes, at: moment.clock)
                self.state = .fetching(fetching)
            }
            self.transfer.rate = fetching.rate.rate(at: moment.clock)
            self.transfer.eta = RateEstimator.eta(
                bytes: self.transfer.bytes,
                total: self.transfer.total,
                rate: self.transfer.rate
            )
        case .stopping(let fetching, _):
            self.keepTime(moment)
            if fetching.lengthIsFramed != nil { self.advance(to: bytes) }
        case .receiving(var receiving):
            self.keepTime(moment)
            self.advance(to: bytes)
            receiving.rate.observe(bytes: bytes, at: moment.clock)
            self.state = .receiving(receiving)
            self.transfer.rate = receiving.rate.rate(at: moment.clock)
            self.transfer.eta = RateEstimator.eta(
                bytes: self.transfer.bytes,
                total: self.transfer.total,
                rate: self.transfer.rate
            )
        case .finishing: self.keepTime(moment)
        case .waiting, .retrying, .paused, .ended: break
        }
        return before != (self.transfer.bytes, self.transfer.rate, self.transfer.eta)
    }

    /// The fetch is over and writes no more; the part holds that many bytes.
    package mutating func fetchEnded(_ end: FetchEnd, bytes: Int64, at moment: Moment) -> [Order] {
        switch self.state {
        case .fetching(let fetching):
            self.keepTime(moment)
            if let problem = self.settle(fetching, bytes) { return self.fail(problem, at: moment) }
            return self.ended(end, fetching, at: moment)
        case .stopping(let fetching, let intent):
            self.keepTime(moment)
            let excess = self.settle(fetching, bytes)
            switch intent {
            case .cancel: return self.cancelled(discarding: .discardPart, at: moment)
            case .fail(let problem, let retryAfter): return self.recover(from: problem, retryAfter, at: moment)
            case .pause, .goOn, .finish: break
            }
            if let excess { return self.fail(excess, at: moment) }
            switch intent {
            case .finish: return self.finish(at: moment)
            case .goOn: return self.goOn(end, fetching, at: moment)
            case .pause, .cancel, .fail:
                if end == .finished, self.part == .good { self.learnLength(fetching) }
                self.state = .paused
                self.show(.paused, at: moment)
                return [.giveBack, .save]
            }
        case .waiting, .receiving, .retrying, .paused, .finishing, .ended: return []
        }
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

    private mutating func goOn(_ end: FetchEnd, _ fetching: Fetching, at moment: Moment) -> [Order] {
        // A stale part's fetch was given up for a reason that was told: how it ended says nothing more.
        guard self.part == .good, end != .stopped else { return self.open(at: moment) }
        return self.ended(end, fetching, at: moment)
    }

    private mutating func ended(_ end: FetchEnd, _ fetching: Fetching, at moment: Moment) -> [Order] {
        let bytes = self.transfer.bytes
        let total = self.transfer.total
        let hasHead = fetching.lengthIsFramed != nil
        switch end {
        case .failed(let problem, let retryAfter):
            // It broke after the last byte: nothing is missing.
            if hasHead, bytes == total { return self.finish(at: moment) }
            return self.recover(from: problem, retryAfter, at: moment)
        case .stopped:
            return self.recover(from: Problem(.interrupted, "It was stopped", retryable: true), nil, at: moment)
        case .finished:
            guard hasHead else {
                let problem = Problem(.remoteProtocol, "The connection ended without an answer", retryable: true)
                return self.recover(from: problem, nil, at: moment)
            }
            if let end = total ?? fetching.end, bytes < end {
                let detail = "The connection closed early: \(bytes) of \(end) bytes came"
                return self.recover(from: Problem(.lengthMismatch, detail, retryable: true), nil, at: moment)
            }
            self.learnLength(fetching)
            return self.finish(at: moment)
        }
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

    /// Takes the last count of a fetch; a problem when more came than there is.
    private mutating func settle(_ fetching: Fetching, _ bytes: Int64) -> Problem? {
        guard self.part == .good, fetching.lengthIsFramed != nil else { return nil }
        if let total = self.transfer.total, bytes > total {
            self.advance(to: total)
            self.part = .stale
            return Problem(.lengthMismatch, "The server announced \(total) bytes and sent more")
        }
        if let end = fetching.end, bytes > end {
            self.part = .stale
            return Problem(.lengthMismatch, "The server announced the bytes up to \(end) and sent more")
        }
        if bytes < self.transfer.bytes {
            // Never so with an honest count; but a hole in the file would be worse than a fall that is told.
            self.transfer.attempt += 1
            self.transfer.reason = .interrupted
            self.transfer.note = "\(self.transfer.bytes - max(bytes, 0)) bytes were lost"
            self.transfer.bytes = max(bytes, 0)
        }
        self.advance(to: bytes)
        return nil
    }

    /// Moves forward, never past the total; enough progress forgives earlier failures.
    mutating func advance(to bytes: Int64) {
        let most = max(bytes, self.transfer.bytes)
        self.transfer.bytes = self.transfer.total.map { min(most, $0) } ?? most
        guard self.transfer.bytes - self.furthest >= self.retry.progressBytes else { return }
        self.furthest = self.transfer.bytes
        self.failures = 0
    }

    /// A body came to its end: now the length is known, though perhaps not beyond doubt.
    private mutating func learnLength(_ fetching: Fetching) {
        guard let isFramed = fetching.lengthIsFramed, self.transfer.total == nil else { return }
        self.transfer.total = self.transfer.bytes
        self.isLengthUnverified = !isFramed
    }
}
