// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// Plain lines for a pipe or a log: a start, a change of state, every tenth, an end.
struct LineView: TransferView {
    /// What was last said of a transfer.
    private struct Said {
        var state: TransferState
        var step: Int
    }

    private var said: [TransferID: Said] = [:]
    private var isLost = false

    mutating func show(_ change: TableChange, of frame: Frame, base: URL) {
        switch change {
        case .table(let transfers):
            self.said.removeAll()
            let isOnlyOne = transfers.count == 1
            for transfer in transfers {
                if transfer.outcome == nil {
                    self.say(transfer)
                } else if isOnlyOne {
                    Output.print(Words.end(of: transfer, base: base))
                }
            }
        case .started(let transfer): self.say(transfer)
        case .moved(let transfer):
            guard let said = self.said[transfer.id],
                said.state == transfer.state, said.step >= Self.step(of: transfer)
            else {
                self.say(transfer)
                return
            }
        case .ended(let transfer):
            self.said[transfer.id] = nil
            Output.print(Words.end(of: transfer, base: base))
        case .removed(let transfer):
            self.said[transfer.id] = nil
            Output.print("\(Words.name(of: transfer)): deleted")
        case .live:
            if self.isLost { Output.complain("headway: connected again") }
            self.isLost = false
        case .lost: break
        }
    }

    mutating func lost(_ problem: Problem, retryIn wait: Duration) {
        if !self.isLost { Output.complain("headway: \(problem.detail); trying again") }
        self.isLost = true
    }

    func draw() {}

    private mutating func say(_ transfer: Transfer) {
        self.said[transfer.id] = Said(state: transfer.state, step: Self.step(of: transfer))
        Output.print("\(Words.name(of: transfer)): \(Words.progress(of: transfer))")
    }

    /// Tenths of the whole; where that is unknown, how often a megabyte has doubled.
    private static func step(of transfer: Transfer) -> Int {
        if let percent = transfer.percent { return percent / 10 }
        let megabytes = max(transfer.bytes / 1_000_000, 0)
        return Int64.bitWidth - megabytes.leadingZeroBitCount
    }
}
