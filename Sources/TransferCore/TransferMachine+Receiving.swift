// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// An upload's life: others bring the bytes, so it can't be paused or tried again by us; only its sender goes on with it.
extension TransferMachine {
    /// A resumable upload whose requests ended is paused after that time; one with a connection that broke at once.
    package static let pauseAfter = Duration.seconds(2)

    struct Receiving: Sendable, Equatable {
        var rate: RateEstimator
        /// When it is paused, unless another request comes; nil while one is under way.
        var due: Duration?
    }

    /// A new upload.
    ///
    /// - Parameters:
    ///   - transfer: with the total, where it is known.
    ///   - resumable: whether other requests can go on with it.
    ///   - endsAtLength: whether it is whole as soon as it has its total.
    ///   - checksum: what the file must have.
    package init(
        receiving transfer: Transfer,
        resumable: Bool,
        endsAtLength: Bool = false,
        checksum: ExpectedChecksum? = nil
    ) {
        // Of the retry policy only its waits between attempts to publish count, which draw no lots that matter.
        self.init(transfer, retry: RetryPolicy(seed: transfer.id.low), checksum: checksum, hasFixedName: true)
        self.isResumable = resumable
        self.endsAtLength = endsAtLength
    }

    /// One that a former run of the server left behind: what was resumable waits for its sender, what had every byte is
    /// published again, and all else is over.
    ///
    /// - Parameters:
    ///   - transfer: as its record was.
    ///   - resumable: whether other requests can go on with it.
    ///   - endsAtLength: whether it is whole as soon as it has its total.
    ///   - kept: how many bytes of the part can be trusted.
    package init(restoringUpload transfer: Transfer, resumable: Bool, endsAtLength: Bool = false, kept: Int64) {
        self.init(receiving: transfer, resumable: resumable, endsAtLength: endsAtLength)
        guard transfer.outcome == nil else {
            self.state = .ended
            return
        }
        let kept = min(max(kept, 0), transfer.total ?? .max)
        self.transfer.rate = nil
        self.transfer.eta = nil
        self.transfer.retryAt = nil
        if endsAtLength || transfer.state == .finishing, kept == transfer.total {
            self.state = .finishing(Finishing())
            self.transfer.state = .finishing
            self.transfer.reason = nil
            self.transfer.note = nil
        } else if resumable {
            self.state = .paused
            self.transfer.state = .paused
            self.transfer.reason = .clientDisconnected
            self.transfer.note = Self.waits
        }
        guard kept < transfer.bytes else {
            self.transfer.bytes = kept
            return
        }
        self.transfer.attempt += 1
        self.transfer.reason = .interrupted
        self.transfer.note = "The server was restarted: \(kept) of \(transfer.bytes) bytes could be kept"
        self.transfer.bytes = kept
    }

    /// Restored, and nobody can go on with it.
    package mutating func interrupted(at moment: Moment) -> [Order] {
        guard case .waiting = self.state else { return [] }
        return self.fail(Problem(.interrupted, "The server was restarted while it came in"), at: moment)
    }

    /// A request that brings bytes has begun.
    package mutating func senderCame(at moment: Moment) -> [Order] {
        switch self.state {
        case .waiting, .paused:
            self.transfer.startedAt = self.transfer.startedAt ?? moment.at
            self.transfer.reason = nil
            self.transfer.note = nil
            self.state = .receiving(Receiving(rate: RateEstimator(bytes: self.transfer.bytes, at: moment.clock)))
            self.show(.running, at: moment)
        case .receiving(var receiving):
            receiving.due = nil
            self.state = .receiving(receiving)
        case .fetching, .stopping, .retrying, .finishing, .ended: break
        }
        return []
    }

    /// The size became known, or better known; never below what is there.
    package mutating func learnt(total: Int64) {
        guard !self.isEnded else { return }
        self.transfer.total = max(total, self.transfer.bytes)
    }

    /// A request has ended; by then the part holds that many bytes.
    package mutating func senderLeft(_ end: ReceiveEnd, bytes: Int64, at moment: Moment) -> [Order] {
        guard case .receiving(var receiving) = self.state else { return [] }
        self.keepTime(moment)
        self.advance(to: bytes)
        switch end {
        case .whole:
            self.transfer.total = self.transfer.bytes
            return self.finish(at: moment)
        case .more where self.isAtItsEnd, .broken where self.isAtItsEnd: return self.finish(at: moment)
        case .more:
            receiving.due = moment.clock + Self.pauseAfter
            self.state = .receiving(receiving)
            return [.save, .wake(after: Self.pauseAfter)]
        case .broken(let problem):
            guard self.isResumable else { return self.fail(problem, at: moment) }
            return self.pauseUpload(at: moment) + [.save]
        case .refused(let problem): return self.fail(problem, at: moment)
        }
    }

    /// What a request brought is thrown away, and the part ends where it ended before.
    package mutating func chunkDiscarded(bytes: Int64, because problem: Problem, at moment: Moment) -> [Order] {
        guard case .receiving(var receiving) = self.state else { return [] }
        // Also when no tick had told of its bytes: they have to be sent again.
        self.transfer.attempt += 1
        self.transfer.bytes = bytes
        self.transfer.reason = problem.code
        self.transfer.note = problem.detail
        receiving.rate = RateEstimator(bytes: bytes, at: moment.clock)
        receiving.due = moment.clock + Self.pauseAfter
        self.state = .receiving(receiving)
        return [.save, .wake(after: Self.pauseAfter)]
    }

    /// Nobody went on with it for too long.
    package mutating func expired(at moment: Moment) -> [Order] {
        switch self.state {
        case .waiting, .paused:
            return self.fail(Problem(.clientDisconnected, "Nobody went on with it in time"), at: moment)
        case .receiving(let receiving) where receiving.due != nil:
            return self.fail(Problem(.clientDisconnected, "Nobody went on with it in time"), at: moment)
        case .receiving, .fetching, .stopping, .retrying, .finishing, .ended: return []
        }
    }

    /// Nobody would send anything more.
    private var isAtItsEnd: Bool { self.endsAtLength && self.transfer.bytes == self.transfer.total }

    mutating func senderIsAway(_ receiving: Receiving, at moment: Moment) -> [Order] {
        guard let due = receiving.due else { return [] }
        guard moment.clock >= due else { return [.wake(after: due - moment.clock)] }
        return self.pauseUpload(at: moment)
    }

    private mutating func pauseUpload(at moment: Moment) -> [Order] {
        self.state = .paused
        self.show(.paused, at: moment)
        self.transfer.reason = .clientDisconnected
        self.transfer.note = Self.waits
        return []
    }

    private static let waits = "It waits for its sender to go on"
}
