// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

extension TransferMachine {
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

    /// A body came to its end: now the length is known, though perhaps not beyond doubt.
    private mutating func learnLength(_ fetching: Fetching) {
        guard let isFramed = fetching.lengthIsFramed, self.transfer.total == nil else { return }
        self.transfer.total = self.transfer.bytes
        self.isLengthUnverified = !isFramed
    }
}
