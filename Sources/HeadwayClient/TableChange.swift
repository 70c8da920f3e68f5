// SPDX-License-Identifier: Apache-2.0

public import ProgressProtocol

/// What became of the table of transfers.
///
/// A whole table is state, the rest is news: only news is worth a notification.
///
/// ```swift
/// switch change {
/// case .table(let transfers): list.replace(with: transfers)
/// case .started(let transfer), .moved(let transfer): list.show(transfer)
/// case .ended(let transfer): list.show(transfer); announce("\(transfer.name): \(transfer.state.rawValue)")
/// case .removed(let transfer): list.remove(transfer.id)
/// case .live: banner.hide()
/// case .lost(let problem, let wait): banner.show("\(problem.detail). Next try in \(wait).")
/// }
/// ```
public enum TableChange: Hashable, Sendable {
    /// Show exactly these, in the order of their birth: the first table, and again whenever the server started over.
    case table([Transfer])
    /// One more transfer is there.
    case started(Transfer)
    /// Its figures or its state changed.
    case moved(Transfer)
    /// It ended; told once for each transfer that was unfinished before.
    case ended(Transfer)
    /// Its record was deleted; this is how it was last known.
    case removed(Transfer)
    /// The connection is up and everything that happened meanwhile has been told.
    case live
    /// The connection broke, and after so long a wait there is another try; what was told stays, and grows old.
    case lost(Problem, retryIn: Duration)
}
