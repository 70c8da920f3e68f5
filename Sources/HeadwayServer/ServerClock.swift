// SPDX-License-Identifier: Apache-2.0

import Foundation
import TransferCore
import ProgressProtocol

/// Both clocks, read at the edge so that the pure rooms only see values.
struct ServerClock: Sendable {
    private let start = ContinuousClock.now

    /// The time since the start, by the clock that nobody sets.
    var elapsed: Duration { self.start.duration(to: .now) }

    /// This moment.
    func now() -> Moment {
        Moment(
            clock: self.elapsed,
            at: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        )
    }
}
