// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

extension TransferMachine {
    /// One that a former run of the server left behind.
    ///
    /// What was under way goes on from the queue, what was paused stays so, and what had every byte is published again.
    ///
    /// - Parameters:
    ///   - transfer: as its record was.
    ///   - kept: how many bytes of the part can be trusted.
    ///   - validator: of what the part holds.
    ///   - announced: what the server said of the file's bytes.
    ///   - lost: whether bytes that were told are gone.
    ///   - retry: how to go on when it breaks.
    ///   - checksum: what the file must have.
    ///   - hasFixedName: whether the creator named the file.
    package init(
        restoring transfer: Transfer,
        kept: Int64,
        validator: String?,
        announced: ExpectedChecksum? = nil,
        lost: Bool,
        retry: RetryPolicy,
        checksum: ExpectedChecksum?,
        hasFixedName: Bool = false
    ) {
        self.init(
            transfer,
            retry: retry,
            checksum: checksum,
            validator: validator,
            announced: announced,
            hasFixedName: hasFixedName
        )
        guard transfer.outcome == nil else {
            self.state = .ended
            return
        }
        let told = transfer.bytes
        var kept = max(kept, 0)
        if let total = transfer.total, kept > total { kept = 0 }
        self.transfer.rate = nil
        self.transfer.eta = nil
        self.transfer.retryAt = nil
        self.part = kept == 0 ? .stale : .good
        self.transfer.bytes = kept
        self.furthest = kept
        let isWhole = transfer.total == kept
        switch transfer.state {
        case .paused: self.state = .paused
        case .finishing where isWhole:
            self.state = .finishing(Finishing())
            // With a reason it is why the finishing waited.
            if transfer.reason == nil { self.earlierReservation = transfer.note }
        default:
            self.state = .waiting
            self.transfer.state = .queued
            self.transfer.reason = nil
            self.transfer.note = nil
        }
        if lost || kept < told {
            self.transfer.attempt += 1
            self.transfer.reason = .interrupted
            self.transfer.note = "The server was restarted: \(kept) of \(told) bytes could be kept"
        } else if transfer.state == .retrying {
            self.transfer.attempt += 1
        }
        if kept == 0 {
            self.validator = nil
            self.announced = nil
        }
    }
}

extension TransferMachine {
    /// The server stops: what the part holds is noted, and the state stays as it was told, to go on with the next start.
    package mutating func noteStop(bytes: Int64, at moment: Moment) {
        switch self.state {
        case .receiving: break
        case .fetching(let fetching): guard fetching.lengthIsFramed != nil else { return }
        case .waiting, .stopping, .retrying, .paused, .finishing, .ended: return
        }
        self.keepTime(moment)
        self.transfer.bytes = max(self.transfer.bytes, min(bytes, self.transfer.total ?? bytes))
        self.transfer.rate = nil
        self.transfer.eta = nil
    }
}
