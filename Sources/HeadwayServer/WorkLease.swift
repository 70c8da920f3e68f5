// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// What was reported last of work that somebody else does, and when.
struct WorkLease {
    let order: Command.Work
    /// As reported; the tick shows it.
    var bytes: Int64 = 0
    /// When its sender was heard last.
    var heardAt: Duration = .zero
}
