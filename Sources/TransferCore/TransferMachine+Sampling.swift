// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

extension TransferMachine {
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
            self.show(fetching.rate, at: moment)
        case .stopping(let fetching, _):
            self.keepTime(moment)
            if fetching.lengthIsFramed != nil { self.advance(to: bytes) }
        case .receiving(var receiving):
            self.keepTime(moment)
            self.advance(to: bytes)
            receiving.rate.observe(bytes: bytes, at: moment.clock)
            self.state = .receiving(receiving)
            self.show(receiving.rate, at: moment)
        case .finishing: self.keepTime(moment)
        case .waiting, .retrying, .paused, .ended: break
        }
        return before != (self.transfer.bytes, self.transfer.rate, self.transfer.eta)
    }

    /// Moves forward, never past the total; enough progress forgives earlier failures.
    mutating func advance(to bytes: Int64) {
        let most = max(bytes, self.transfer.bytes)
        self.transfer.bytes = self.transfer.total.map { min(most, $0) } ?? most
        guard self.transfer.bytes - self.furthest >= self.retry.progressBytes else { return }
        self.furthest = self.transfer.bytes
        self.failures = 0
    }

    private mutating func show(_ rate: RateEstimator, at moment: Moment) {
        self.transfer.rate = rate.rate(at: moment.clock)
        self.transfer.eta = RateEstimator.eta(
            bytes: self.transfer.bytes,
            total: self.transfer.total,
            rate: self.transfer.rate
        )
    }
}
