// SPDX-License-Identifier: Apache-2.0

import HeadwayClient
import ProgressProtocol

/// One run of `watch` or `get`: reads frames, folds them, and hands what changed to a view.
struct ViewerSession {
    let client: HeadwayClient
    let view: any TransferView

    /// Watches everything until interrupted, or one transfer until it ended.
    ///
    /// - Returns: the exit status.
    func run(only id: TransferID?) async -> Int32 {
        var filter = Command.Filter()
        if let id { filter.ids = [id] }
        var frames = self.client.frames(filter).makeAsyncIterator()
        var fold = ProgressFold()
        var view = self.view
        do throws(Problem) {
            while let event = try await frames.next() {
                switch event {
                case .lost(let problem, let wait):
                    // Before the first table there is nothing to hold on to: say so and let the caller decide.
                    guard fold.resumePoint != nil else { throw problem }
                    view.lost(problem, retryIn: wait)
                case .frame(let frame):
                    for change in fold.apply(frame) {
                        view.show(change, of: frame, base: self.client.base)
                        if let id, let status = Self.status(after: change, of: id) {
                            view.draw()
                            return status
                        }
                    }
                    if fold.isAstray { frames.startOver() }
                }
                if frames.isCaughtUp { view.draw() }
            }
            return ExitStatus.succeeded
        } catch {
            Output.complain("headway: " + error.detail)
            return ExitStatus.of(error)
        }
    }

    /// The exit status, where this change is the end of the one transfer that is watched.
    private static func status(after change: TableChange, of id: TransferID) -> Int32? {
        switch change {
        case .table(let transfers):
            guard let transfer = transfers.first(where: { $0.id == id }) else {
                Output.complain("headway: there is no transfer \(id)")
                return ExitStatus.failed
            }
            return transfer.outcome.map { $0 == .succeeded ? ExitStatus.succeeded : ExitStatus.failed }
        case .ended(let transfer):
            return transfer.outcome == .succeeded ? ExitStatus.succeeded : ExitStatus.failed
        case .removed(let transfer):
            return transfer.outcome == .succeeded ? ExitStatus.succeeded : ExitStatus.failed
        case .started, .moved, .live, .lost: return nil
        }
    }
}
