// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

extension TransferMachine {
    /// Let it stand still; what stands still already is left alone.
    package mutating func pause(at moment: Moment) throws(Problem) -> [Order] {
        try self.checkCanPause("paused")
        switch self.state {
        case .waiting:
            self.state = .paused
            self.standStill(at: moment)
            return [.giveBack, .save]
        case .retrying:
            self.transfer.attempt += 1  // the first frame that leaves `retrying`
            self.state = .paused
            self.standStill(at: moment)
            return [.save]
        case .fetching(let fetching):
            self.state = .stopping(fetching, then: .pause)
            return [.stopFetching]
        case .stopping(let fetching, let intent):
            switch intent {
            case .pause: return []
            case .goOn: break
            case .fail(let problem, _) where problem.retryable: break
            case .fail, .finish, .cancel: throw self.wrongState("paused")
            }
            self.state = .stopping(fetching, then: .pause)
            return []
        case .paused: return []
        case .receiving, .finishing, .ended: throw self.wrongState("paused")
        }
    }

    /// Let it go on; now, if it waits to try again.
    package mutating func resume(at moment: Moment) throws(Problem) -> [Order] {
        try self.checkCanPause("resumed")
        switch self.state {
        case .paused:
            self.state = .waiting
            self.transfer.reason = nil
            self.transfer.note = nil
            self.show(.queued, at: moment)
            return [.save, .ask]
        case .retrying: return self.tryAgain(at: moment)
        case .stopping(let fetching, let intent):
            switch intent {
            case .pause: self.state = .stopping(fetching, then: .goOn)
            case .goOn, .finish: break
            case .fail(let problem, _) where problem.retryable: break
            case .fail, .cancel: throw self.wrongState("resumed")
            }
            return []
        case .finishing(let finishing):
            guard finishing.intent == .publish else { throw self.wrongState("resumed") }
            return finishing.due == nil ? [] : self.finishAgain(finishing, at: moment)
        case .waiting, .fetching: return []
        case .receiving, .ended: throw self.wrongState("resumed")
        }
    }

    /// Call it off: accepted until the file is known to be published, and then nothing of it stays.
    package mutating func cancel(at moment: Moment) throws(Problem) -> [Order] {
        switch self.state {
        case .waiting, .retrying, .paused: return self.cancelled(discarding: .discardPart, at: moment)
        case .receiving: return [.stopReceiving] + self.cancelled(discarding: .discardPart, at: moment)
        case .fetching(let fetching):
            self.state = .stopping(fetching, then: .cancel)
            return [.stopFetching]
        case .stopping(let fetching, _):
            self.state = .stopping(fetching, then: .cancel)
            return []
        case .finishing(var finishing):
            guard finishing.due == nil else { return self.cancelled(discarding: .discardFile, at: moment) }
            guard finishing.intent != .cancel else { return [] }
            finishing.intent = .cancel
            self.state = .finishing(finishing)
            return [.stopFinishing]
        case .ended:
            guard self.transfer.outcome == .cancelled else { throw self.wrongState("cancelled") }
            return []
        }
    }

    /// Whether somebody's word is what it stops for.
    package var isOrderedToStop: Bool {
        switch self.state {
        case .stopping(_, then: .pause), .stopping(_, then: .cancel): true
        case .waiting, .fetching, .receiving, .stopping, .retrying, .paused, .finishing, .ended: false
        }
    }

    /// Its place in the line or its rate is to be another one.
    package mutating func change(_ change: Command.Change) throws(Problem) {
        try self.checkStandsInLine("be changed")
        guard self.state != .ended else { throw self.wrongState("changed") }
        if let priority = change.priority { self.transfer.priority = priority }
        if let maxRate = change.maxRate { self.transfer.maxRate = maxRate.number }
    }

    /// It is to go at once: true when it waits for a place, false when it has one.
    package func canStart() throws(Problem) -> Bool {
        try self.checkStandsInLine("be started at once")
        switch self.state {
        case .waiting: return true
        case .fetching: return false
        case .receiving, .stopping, .retrying, .paused, .finishing, .ended: throw self.wrongState("started at once")
        }
    }

    /// A timer that was ordered with `wake`, or an older one.
    package mutating func timerFired(at moment: Moment) -> [Order] {
        switch self.state {
        case .retrying(let due):
            guard moment.clock >= due else { return [.wake(after: due - moment.clock)] }
            return self.tryAgain(at: moment)
        case .finishing(let finishing):
            guard let due = finishing.due else { return [] }
            guard moment.clock >= due else { return [.wake(after: due - moment.clock)] }
            return self.finishAgain(finishing, at: moment)
        case .receiving(let receiving): return self.senderIsAway(receiving, at: moment)
        case .waiting, .fetching, .stopping, .paused, .ended: return []
        }
    }

    private mutating func tryAgain(at moment: Moment) -> [Order] {
        self.transfer.attempt += 1
        if self.transfer.kind == .push { self.transfer.bytes = 0 }
        self.transfer.reason = nil
        self.transfer.note = nil
        self.state = .waiting
        self.show(.queued, at: moment)
        return [.ask]
    }

    private mutating func finishAgain(_ finishing: Finishing, at moment: Moment) -> [Order] {
        var finishing = finishing
        finishing.due = nil
        self.state = .finishing(finishing)
        self.show(.finishing, at: moment)
        return [.finish(expected: self.expected)]
    }

    private mutating func standStill(at moment: Moment) {
        self.transfer.reason = nil
        self.transfer.note = nil
        self.show(.paused, at: moment)
    }

    private func checkCanPause(_ verb: String) throws(Problem) {
        guard self.transfer.kind == .download || self.transfer.kind == .demo else {
            let detail = "Of this kind, \"\(self.transfer.kind.rawValue)\", a transfer can't be \(verb) by others"
            throw Problem(.wrongState, detail, status: 409)
        }
    }

    /// Of the other kinds nobody waits, and we don't decide how fast they are.
    private func checkStandsInLine(_ verb: String) throws(Problem) {
        guard self.transfer.kind == .download || self.transfer.kind == .push else {
            let kind = self.transfer.kind.rawValue
            let detail = "Only a download or a push can \(verb), and this is of the kind \"\(kind)\""
            throw Problem(.wrongState, detail, status: 409)
        }
    }

    func wrongState(_ verb: String) -> Problem {
        let detail: String
        switch self.state {
        case .stopping(_, then: .cancel): detail = "is being cancelled"
        case .stopping(_, then: .fail): detail = "is failing"
        case .stopping(_, then: .finish): detail = "is finishing"
        case .finishing(let finishing):
            switch finishing.intent {
            case .publish: detail = "is finishing"
            case .cancel: detail = "is being cancelled"
            case .fail: detail = "is failing"
            }
        case .ended:
            detail = self.transfer.outcome == .cancelled ? "was cancelled" : "has \(self.transfer.state.rawValue)"
        case .waiting, .fetching, .receiving, .stopping, .retrying, .paused:
            detail = "is \(self.transfer.state.rawValue)"
        }
        return Problem(.wrongState, "A transfer that \(detail) can't be \(verb)", status: 409)
    }
}
