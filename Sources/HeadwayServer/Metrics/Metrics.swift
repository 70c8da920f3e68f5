// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// What the coordinator counts: a plain value that lives on the loop, and costs an addition where something is counted.
///
/// Labels come from the closed sets here, never from what somebody sent.
struct Metrics: Sendable, Equatable {
    /// What moves; a kind that this version doesn't know is `other`.
    enum Kind: String, CaseIterable, Sendable {
        case download, upload, push, task, demo, other

        init(_ kind: TransferKind) { self = Self(rawValue: kind.rawValue) ?? .other }
    }

    /// The gate that turned something away.
    enum Gate: String, CaseIterable, Sendable {
        /// Called by a name that is not ours (421).
        case host
        /// Sent by somebody else's page (403).
        case origin
        /// A link to an address that may not be fetched from (403).
        case address
        /// More commands than a socket may send.
        case rate
        /// A body that is too long (413).
        case size
        /// No room for another connection (503).
        case connections
    }

    /// Why a reader was cut off.
    enum Drop: String, CaseIterable, Sendable {
        /// It took nothing for 60 s.
        case stalled
        /// It answered no ping.
        case silent
        /// It sent far too many commands.
        case flood
        /// It sent what is no command: binary, too long, or not an object.
        case invalid
    }

    /// How a run of the operator's program went.
    enum HookResult: String, CaseIterable, Sendable {
        /// It ended with status 0.
        case ok
        /// With another one, by a signal, or it could not be started.
        case failed
        /// It took too long and was ended.
        case timeout
        /// It was not run, because too many waited.
        case dropped
    }

    /// What a socket asked for.
    enum Operation: String, CaseIterable, Sendable {
        case download, push, demo, task, report, change, pause, resume, start, cancel, retry, delete, watch, pace, sync,
            ping
        /// An unknown one, or one that lacks something.
        case invalid

        init(_ command: Command) {
            self =
                switch command {
                case .download: .download
                case .push, .pushes: .push
                case .demo: .demo
                case .task: .task
                case .report: .report
                case .change: .change
                case .steer(let action, _): Self(rawValue: action.rawValue) ?? .invalid
                case .watch: .watch
                case .pace: .pace
                case .sync: .sync
                case .ping: .ping
                }
        }
    }

    var created = Tally<Kind>()
    var succeeded = Tally<Kind>()
    var failed = Tally<Kind>()
    var cancelled = Tally<Kind>()
    /// Bytes that were moved, or are reported to be; what is moved again after a restart counts again.
    var bytes = Tally<Kind>()
    var refused = Tally<Gate>()
    var dropped = Tally<Drop>()
    var operations = Tally<Operation>()
    var hooks = Tally<HookResult>()
    /// From a turn's beginning to its end, sampling included.
    var turns = Histogram.ofWork
    /// How late a tick came: what else the loop did.
    var lag = Histogram.ofWork
    /// From the order to the place among the active ones.
    var admission = Histogram.ofWaiting
    /// From the order to keep a record until it is durable.
    var commits = Histogram.ofWork
    /// How often the time between ticks was made longer.
    var slowdowns: UInt64 = 0

    /// A transfer ended.
    mutating func ended(_ kind: TransferKind, _ outcome: Outcome) {
        switch outcome {
        case .succeeded: self.succeeded[Kind(kind)] += 1
        case .failed: self.failed[Kind(kind)] += 1
        case .cancelled: self.cancelled[Kind(kind)] += 1
        }
    }
}
