// SPDX-License-Identifier: Apache-2.0

import HeadwayClient
import ProgressProtocol

/// One run of `watch` or `get`: reads frames, folds them, and hands what changed to a view.
struct ViewerSession {
    let client: HeadwayClient
    let view: any TransferView

    /// Watches everything until interrupted, or some transfers until they ended.
    ///
    /// - Returns: the exit status: of several, that of one which did not succeed.
    func run(only ids: Set<TransferID>) async -> Int32 {
        var filter = Command.Filter()
        filter.ids = ids
        var open = ids
        var worst = ExitStatus.succeeded
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
                        for id in open {
                            guard let status = try await self.status(after: change, of: id, in: &view, frame) else {
                                continue
                            }
                            open.remove(id)
                            // A view tells the end of the only one in a table; that of one among several is told here.
                            if case .table(let transfers) = change, transfers.count > 1,
                                let transfer = transfers.first(where: { $0.id == id })
                            {
                                view.show(.ended(transfer), of: frame, base: self.client.base)
                            }
                            worst = max(worst, status)
                        }
                        if open.isEmpty, !ids.isEmpty {
                            view.draw()
                            return worst
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
    private func status(
        after change: TableChange,
        of id: TransferID,
        in view: inout any TransferView,
        _ frame: Frame
    ) async throws(Problem) -> Int32? {
        switch change {
        case .table(let transfers):
            if let transfer = transfers.first(where: { $0.id == id }) { return Self.status(of: transfer) }
            // One that was made this very moment may not be in the table yet: then its start follows.
            let transfer = try await self.client.transfer(id)
            guard let status = Self.status(of: transfer) else { return nil }
            view.show(.ended(transfer), of: frame, base: self.client.base)
            return status
        case .ended(let transfer), .removed(let transfer):
            guard transfer.id == id else { return nil }
            return Self.status(of: transfer) ?? ExitStatus.failed
        case .started, .moved, .live, .lost: return nil
        }
    }

    private static func status(of transfer: Transfer) -> Int32? {
        transfer.outcome.map { $0 == .succeeded ? ExitStatus.succeeded : ExitStatus.failed }
    }
}
