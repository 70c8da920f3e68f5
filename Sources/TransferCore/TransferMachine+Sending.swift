// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// A push: its life is that of a download with the bytes going out, and its end is the remote's word.
extension TransferMachine {
    /// How often everything is sent to another place.
    private static let maximumRedirects = 10

    /// The request is on its way.
    package mutating func sendingBegan(at moment: Moment) -> [Order] {
        guard case .fetching = self.state else { return [] }
        self.keepTime(moment)
        self.sendFromStart(at: moment)
        return [.save]
    }

    /// The source has said how much there is, or that it does not say, and perhaps what it is called.
    package mutating func sourceKnown(total: Int64?, name: String?) {
        guard case .fetching = self.state else { return }
        self.transfer.total = total
        if let name, !self.hasFixedName { self.transfer.name = name }
    }

    /// The last byte is sent, and so many there are: now the remote has to answer.
    package mutating func allSent(_ bytes: Int64? = nil, at moment: Moment) -> [Order] {
        guard case .fetching = self.state else { return [] }
        self.transfer.total = self.transfer.total ?? bytes
        if let total = self.transfer.total { self.transfer.bytes = total }
        self.show(.finishing, at: moment)
        return []
    }

    /// Everything is sent once more, within the same request or to another place.
    package mutating func sentAgain(at moment: Moment) -> [Order] {
        guard case .fetching = self.state else { return [] }
        self.transfer.attempt += 1
        self.sendFromStart(at: moment)
        self.show(.running, at: moment)
        return []
    }

    /// The request is over.
    package mutating func sendingEnded(_ verdict: PushVerdict, redirects: Int, at moment: Moment) -> [Order] {
        switch self.state {
        case .fetching:
            self.keepTime(moment)
            switch verdict {
            case .accepted(let answer): return self.accepted(answer, at: moment)
            case .redirected:
                guard redirects <= Self.maximumRedirects else {
                    let detail = "The server sent it on more than \(Self.maximumRedirects) times"
                    return self.fail(Problem(.remoteProtocol, detail), at: moment)
                }
                return self.sentAgain(at: moment) + [.fetch(offset: 0, ifRange: nil)]
            case .failed(let problem, let retryAfter): return self.recover(from: problem, retryAfter, at: moment)
            }
        case .stopping:
            self.keepTime(moment)
            // Who called it off came too late: the other side has it.
            if case .accepted(let answer) = verdict { return self.accepted(answer, at: moment) }
            return self.cancelled(discarding: .discardPart, at: moment)
        case .waiting, .receiving, .retrying, .paused, .finishing, .ended: return []
        }
    }

    /// One that a former run of the server left behind while it was sent: whether the remote has it is not known.
    package mutating func interruptedPush(at moment: Moment) -> [Order] {
        guard case .waiting = self.state else { return [] }
        let detail = "The server was restarted while it was sent, and it is not known what the other side has taken"
        return self.fail(Problem(.interrupted, detail), at: moment)
    }

    private mutating func sendFromStart(at moment: Moment) {
        self.transfer.bytes = 0
        self.furthest = 0
        self.state = .fetching(Fetching(lengthIsFramed: true, rate: RateEstimator(bytes: 0, at: moment.clock)))
    }
}
