// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

extension TransferMachine {
    /// The file is durable under its final name.
    ///
    /// Of a form that brought several, `files` are all of them, and there is no one link and no one digest.
    package mutating func published(
        name: String,
        href: String?,
        digest: String?,
        files: [Transfer.File]? = nil,
        at moment: Moment
    ) -> [Order] {
        guard case .finishing(let finishing) = self.state else { return [] }
        switch finishing.intent {
        case .cancel: return self.cancelled(discarding: .discardFile, at: moment)
        case .fail(let problem): return self.fail(problem, discarding: .discardFile, at: moment)
        case .publish: break
        }
        self.transfer.name = name
        self.transfer.href = href
        self.transfer.digest = digest
        self.transfer.files = files
        self.transfer.note = self.reservation
        self.end(.succeeded, at: moment)
        return [.end]
    }

    /// The other side has it all, and said so.
    mutating func accepted(_ answer: Transfer.Answer, at moment: Moment) -> [Order] {
        self.transfer.bytes = self.transfer.total ?? self.transfer.bytes
        self.transfer.result = answer
        self.transfer.note = nil
        self.end(.succeeded, at: moment)
        return [.giveBack, .end]
    }

    /// The file could not be published: for good, or for now.
    package mutating func publishFailed(_ problem: Problem, final: Bool, at moment: Moment) -> [Order] {
        guard case .finishing(var finishing) = self.state, finishing.due == nil else { return [] }
        switch finishing.intent {
        case .cancel: return self.cancelled(discarding: .discardFile, at: moment)
        case .fail(let earlier): return self.fail(earlier, discarding: .discardFile, at: moment)
        case .publish: break
        }
        guard !final else { return self.fail(problem, discarding: .discardPart, at: moment) }
        finishing.failures += 1
        let delay = self.retry.delayWithoutEnd(failures: finishing.failures)
        finishing.due = moment.clock + delay
        self.state = .finishing(finishing)
        self.show(.finishing, at: moment)
        self.wait(for: delay, because: problem, problem.detail, at: moment)
        return [.wake(after: delay)]
    }

    /// Our disk was full under it, and there will be room again: it breaks off and goes on.
    package mutating func diskWasFull(_ problem: Problem, at moment: Moment) -> [Order] {
        var problem = problem
        problem.retryable = true
        switch self.state {
        case .fetching(let fetching):
            self.state = .stopping(fetching, then: .fail(problem, retryAfter: nil))
            return [.stopFetching]
        case .stopping(let fetching, let intent):
            if intent == .goOn || intent == .finish {
                self.state = .stopping(fetching, then: .fail(problem, retryAfter: nil))
            }
            return []
        case .waiting, .retrying, .paused, .receiving, .finishing, .ended: return []
        }
    }

    /// Our disk failed under it.
    package mutating func diskFailed(_ problem: Problem, at moment: Moment) -> [Order] {
        var problem = problem
        problem.retryable = false
        switch self.state {
        case .waiting, .retrying, .paused: return self.fail(problem, at: moment)
        case .receiving: return [.stopReceiving] + self.fail(problem, at: moment)
        case .fetching(let fetching):
            self.state = .stopping(fetching, then: .fail(problem, retryAfter: nil))
            return [.stopFetching]
        case .stopping(let fetching, let intent):
            if intent != .cancel { self.state = .stopping(fetching, then: .fail(problem, retryAfter: nil)) }
            return []
        case .finishing(var finishing):
            guard finishing.intent == .publish else { return [] }
            guard finishing.due == nil else { return self.fail(problem, discarding: .discardFile, at: moment) }
            finishing.intent = .fail(problem)
            self.state = .finishing(finishing)
            return [.stopFinishing]
        case .ended: return []
        }
    }

    /// Every byte is there.
    mutating func finish(at moment: Moment) -> [Order] {
        self.state = .finishing(Finishing())
        self.transfer.startedAt = self.transfer.startedAt ?? moment.at
        self.transfer.reason = nil
        self.transfer.note = self.reservation
        self.show(.finishing, at: moment)
        return [.giveBack, .finish(expected: self.expected)]
    }

    /// Waits and tries again, or gives up.
    mutating func recover(from problem: Problem, _ retryAfter: Duration?, at moment: Moment) -> [Order] {
        guard problem.retryable else { return self.fail(problem, at: moment) }
        self.failures += 1
        guard let delay = self.retry.delay(afterFailures: self.failures, retryAfter: retryAfter) else {
            var problem = problem
            problem.detail += ", \(self.failures) times in a row"
            return self.fail(problem, at: moment)
        }
        self.state = .retrying(due: moment.clock + delay)
        self.show(.retrying, at: moment)
        let next = "\(problem.detail); attempt \(self.failures + 1) of \(self.retry.maximumAttempts) follows"
        self.wait(for: delay, because: problem, next, at: moment)
        return [.giveBack, .save, .wake(after: delay)]
    }

    mutating func fail(_ problem: Problem, discarding order: Order? = nil, at moment: Moment) -> [Order] {
        var orders: [Order] = self.holdsPlace ? [.giveBack] : []
        if let order {
            orders.append(order)
        } else if !self.isPartUseful(after: problem) {
            orders.append(.discardPart)
        }
        self.transfer.error = problem
        self.transfer.note = nil
        self.end(.failed, at: moment)
        return orders + [.end]
    }

    mutating func cancelled(discarding order: Order, at moment: Moment) -> [Order] {
        let orders: [Order] = self.holdsPlace ? [.giveBack] : []
        self.transfer.note = nil
        self.end(.cancelled, at: moment)
        return orders + [order, .end]
    }

    /// Shows a state that begins now: the time in `running` and `finishing` is counted, and a rate has yet to be seen.
    mutating func show(_ state: TransferState, at moment: Moment) {
        self.keepTime(moment)
        self.transfer.state = state
        self.transfer.retryAt = nil
        self.transfer.rate = nil
        self.transfer.eta = nil
        let counts = state == .running || state == .finishing
        self.runningSince = counts ? moment.clock : nil
        if counts { self.transfer.elapsed = self.elapsed.wholeMilliseconds }
    }

    mutating func keepTime(_ moment: Moment) {
        guard let since = self.runningSince, moment.clock > since else { return }
        self.elapsed += moment.clock - since
        self.runningSince = moment.clock
        self.transfer.elapsed = self.elapsed.wholeMilliseconds
    }

    private mutating func end(_ outcome: Outcome, at moment: Moment) {
        self.state = .ended
        self.show(outcome.state, at: moment)
        self.transfer.outcome = outcome
        self.transfer.finishedAt = moment.at
        self.transfer.reason = nil
    }

    private mutating func wait(for delay: Duration, because problem: Problem, _ note: String, at moment: Moment) {
        self.transfer.reason = problem.code
        self.transfer.note = note
        self.transfer.retryAt = Timestamp(milliseconds: moment.at.milliseconds + delay.wholeMilliseconds)
    }

    /// What a person should know of a file that is all the same complete.
    private var reservation: String? {
        if self.isLengthUnverified, self.expected.isEmpty {
            return "The server did not say how long the file is: whether it is whole can't be told"
        }
        if let coding = self.coding {
            return "The server sent it in the coding \"\(coding)\" unasked: it is stored as it came"
        }
        return self.earlierReservation
    }

    private var holdsPlace: Bool {
        switch self.state {
        case .waiting, .fetching, .stopping: true
        case .receiving, .retrying, .paused, .finishing, .ended: false
        }
    }

    /// Whether a new transfer that tries again could go on with the part; if not, it would only take up room.
    private func isPartUseful(after problem: Problem) -> Bool {
        guard self.part == .good, self.transfer.bytes > 0, self.validator != nil else { return false }
        return ![.diskFull, .diskError, .storeFull].contains(problem.code)
    }
}
