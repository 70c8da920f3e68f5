// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

extension TransferMachine {
    /// Somebody else does the work: it runs from now on, until a report ends it or its sender falls silent.
    ///
    /// No fetch is ordered for it, and what is told of it is what was reported last.
    package mutating func reportingBegan(at moment: Moment) -> [Order] {
        guard case .waiting = self.state else { return [] }
        self.part = .good
        let rate = RateEstimator(bytes: self.transfer.bytes, at: moment.clock)
        self.state = .fetching(Fetching(lengthIsFramed: true, rate: rate))
        self.show(.running, at: moment)
        self.transfer.startedAt = self.transfer.startedAt ?? moment.at
        return [.save]
    }

    /// A report came, after one that named so many bytes, which need not have been shown yet.
    ///
    /// The figures of one that goes on are shown with the next tick, as those of everything else are; fewer bytes than
    /// before are a new attempt, and shown at once.
    ///
    /// - Throws: `Problem`: `wrong-state`, or `invalid` for more bytes than there are.
    package mutating func reported(
        _ report: Command.Report,
        after earlier: Int64,
        at moment: Moment
    ) throws(Problem) -> [Order] {
        guard self.transfer.kind == .task else {
            let detail = "Only a task is reported on by others; this is a \(self.transfer.kind.rawValue)"
            throw Problem(.wrongState, detail, status: 409)
        }
        guard case .fetching(let fetching) = self.state else { throw self.wrongState("reported on") }
        let total = report.total ?? self.transfer.total
        let known = max(earlier, self.transfer.bytes)
        let bytes = report.bytes ?? known
        if let total, bytes > total {
            let told = report.bytes == nil ? "\(bytes) were reported before" : "\"bytes\" is \(bytes)"
            throw Problem(.invalid, "\"total\" is \(total), and \(told): tell a larger total with it", status: 400)
        }
        self.keepTime(moment)
        self.transfer.total = total
        if let note = report.note { self.transfer.note = note.isEmpty ? nil : note }
        if bytes < known { self.begunAnew(fetching, bytes, at: moment) }
        switch report.state {
        case .running: return []
        case .succeeded:
            self.transfer.bytes = bytes
            self.transfer.total = bytes
            return self.finish(at: moment)
        case .failed(let problem):
            self.transfer.bytes = bytes
            return self.fail(problem, at: moment)
        case .cancelled:
            self.transfer.bytes = bytes
            return self.cancelled(discarding: .discardPart, at: moment)
        }
    }

    /// No report came for so long.
    package mutating func reportsCeased(after silence: Duration, at moment: Moment) -> [Order] {
        guard case .fetching = self.state else { return [] }
        let detail = "Nothing was reported for \(silence.components.seconds) s"
        return self.fail(Problem(.interrupted, detail), at: moment)
    }

    private mutating func begunAnew(_ fetching: Fetching, _ bytes: Int64, at moment: Moment) {
        self.transfer.attempt += 1
        self.transfer.bytes = bytes
        self.transfer.rate = nil
        self.transfer.eta = nil
        self.furthest = bytes
        var fetching = fetching
        fetching.rate = RateEstimator(bytes: bytes, at: moment.clock)
        self.state = .fetching(fetching)
    }
}
