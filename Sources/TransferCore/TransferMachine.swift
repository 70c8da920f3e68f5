// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// The life of a download or an upload, decided in one place: events in, orders out.
///
/// Demo transfers run through it too, with another driver. It is a value without thread, clock or randomness; whoever
/// holds it carries out the orders one after the other and feeds back what came of them.
///
/// At most one fetch runs: after `fetch`, no other is ordered before `fetchEnded` was told. So no event can speak of an
/// older fetch, and none needs a token. An early timer is told how long to wait still, a late one is not missed.
package struct TransferMachine: Sendable {
    /// What is to be done.
    package enum Order: Sendable, Equatable {
        /// Wants a place among the active ones.
        case ask
        /// Leaves its place, or the queue.
        case giveBack
        /// Open the origin; answered by `headArrived` and always by one `fetchEnded`.
        case fetch(offset: Int64, ifRange: String?)
        /// Stop the running fetch; answered by its `fetchEnded`, which may be on its way already.
        case stopFetching
        /// Cut the part to 0; never while a fetch runs.
        case truncate
        /// Read no more of the upload: its sender is told why.
        case stopReceiving
        /// Sync, digest, verify, publish; answered by `published` or `publishFailed`.
        case finish(expected: [ExpectedChecksum])
        /// The finishing is not wanted any more; it is answered as before, by whichever came first.
        case stopFinishing
        /// Remove the part.
        case discardPart
        /// Remove the part, and the file too if it had its final name already: a cancel was accepted before that was
        /// known.
        case discardFile
        /// Call `timerFired` then.
        case wake(after: Duration)
        /// Make the record durable; nobody waits.
        case save
        /// The last order: save, and only when that is durable tell the end.
        case end
    }

    /// Where it is, with what belongs to being there.
    enum State: Sendable, Equatable {
        /// Wants a place, or its sender. Next: fetching, receiving, finishing, paused, ended.
        case waiting
        /// An upload comes in, or its next request is awaited. Next: paused, finishing, ended.
        case receiving(Receiving)
        /// A fetch runs. Next: stopping, retrying, finishing, ended.
        case fetching(Fetching)
        /// A fetch runs and was told to stop. Next: as `Intent` says.
        case stopping(Fetching, then: Intent)
        /// Broke off. Next: waiting, paused, ended.
        case retrying(due: Duration)
        /// Stands still. Next: waiting, receiving, ended.
        case paused
        /// Has its last byte, and is being published. Next: ended.
        case finishing(Finishing)
        /// Nothing follows.
        case ended
    }

    struct Fetching: Sendable, Equatable {
        /// Whether the end of the body can be told; nil until the head came.
        var lengthIsFramed: Bool?
        /// The first of the file's bytes that this fetch does not bring; nil where that is unknown.
        var end: Int64?
        var rate: RateEstimator
    }

    /// Why a fetch was told to stop.
    enum Intent: Sendable, Equatable {
        case pause
        /// Fetch again from what the part then holds.
        case goOn
        /// The part is whole.
        case finish
        case cancel
        case fail(Problem, retryAfter: Duration?)
    }

    struct Finishing: Sendable, Equatable {
        enum Intent: Sendable, Equatable {
            case publish
            case cancel
            case fail(Problem)
        }

        var intent = Intent.publish
        /// When it is tried again; nil while the finishing is under way.
        var due: Duration?
        var failures = 0
    }

    /// Whether the part can be gone on with.
    enum Part: Sendable, Equatable {
        case good
        /// Holds bytes that are not wanted: cut it before the next fetch.
        case stale
    }

    /// What everybody sees.
    package internal(set) var transfer: Transfer
    /// Strong ETag or Last-Modified of what the part holds, for If-Range.
    package internal(set) var validator: String?
    /// What the server says of the file's bytes.
    package internal(set) var announced: ExpectedChecksum?

    var state: State
    var part = Part.good
    var retry: RetryPolicy
    var failures = 0
    var furthest: Int64
    var isLengthUnverified = false
    /// What a former run had to say of the file, when it had every byte.
    var earlierReservation: String?
    /// A coding in which the file came though nobody asked for it.
    var coding: String?
    var elapsed: Duration
    var runningSince: Duration?
    let checksum: ExpectedChecksum?
    let hasFixedName: Bool
    /// Whether an upload can be gone on with by another request.
    package internal(set) var isResumable = false
    /// Whether an upload is whole as soon as it has its total, whatever becomes of the request that brings the last byte.
    var endsAtLength = false

    /// A new transfer, or one that takes over the part and validator of the one it tries again.
    package init(
        _ transfer: Transfer,
        retry: RetryPolicy,
        checksum: ExpectedChecksum?,
        validator: String? = nil,
        announced: ExpectedChecksum? = nil,
        hasFixedName: Bool = false
    ) {
        self.transfer = transfer
        self.validator = validator
        self.announced = announced
        self.state = .waiting
        self.retry = retry
        self.furthest = transfer.bytes
        self.elapsed = .milliseconds(transfer.elapsed ?? 0)
        self.checksum = checksum
        self.hasFixedName = hasFixedName
    }

    /// Whether anything can still happen.
    package var isEnded: Bool { self.state == .ended }

    /// What the file's bytes are checked against.
    var expected: [ExpectedChecksum] { [self.checksum, self.announced].compactMap(\.self) }

    /// New or restored: what has to be done first.
    package mutating func begin() -> [Order] {
        switch self.state {
        case .waiting: self.transfer.kind == .upload ? [] : [.ask]
        case .finishing: [.finish(expected: self.expected)]
        case .fetching, .receiving, .stopping, .retrying, .paused, .ended: []
        }
    }
}
