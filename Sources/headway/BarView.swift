// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// Bars on a terminal, drawn over in place; what has ended stays above them as a line.
///
/// The cursor is never hidden and always rests at the start of the line below, so whatever ends the process leaves a
/// terminal that is fit to use.
struct BarView: TransferView {
    private var unfinished: [Transfer] = []
    private var finished: [String] = []
    private var drawnColumns: [Int] = []
    private var drawn = ""
    private var notice: String?
    private var hasTable = false

    mutating func show(_ change: TableChange, of frame: Frame, base: URL) {
        switch change {
        case .table(let transfers):
            self.unfinished = transfers.filter { $0.outcome == nil }
            self.hasTable = true
            if transfers.count == 1, let only = transfers.first, only.outcome != nil {
                self.finished.append(Words.end(of: only, base: base))
            }
        case .started(let transfer): self.unfinished.append(transfer)
        case .moved(let transfer):
            guard let index = self.unfinished.firstIndex(where: { $0.id == transfer.id }) else { return }
            self.unfinished[index] = transfer
        case .ended(let transfer):
            self.unfinished.removeAll { $0.id == transfer.id }
            self.finished.append(Words.end(of: transfer, base: base))
        case .removed(let transfer):
            guard let index = self.unfinished.firstIndex(where: { $0.id == transfer.id }) else { return }
            self.unfinished.remove(at: index)
            self.finished.append("\(Words.name(of: transfer)): deleted")
        case .live: self.notice = nil
        case .lost: break
        }
    }

    mutating func lost(_ problem: Problem, retryIn wait: Duration) {
        self.notice = "\(problem.detail); trying again in \(Words.time(wait))"
    }

    mutating func draw() {
        let (columns, lines) = Terminal.size
        var bars = self.bars(columns: columns, lines: max(lines - 2, 1))
        if let notice = self.notice { bars.append(Terminal.cut(Words.harmless(notice), to: columns - 1)) }
        let picture = bars.map { $0 + "\u{1B}[K\n" }.joined()
        guard picture != self.drawn || !self.finished.isEmpty else { return }
        var text = ""
        // One write for the whole picture. What was drawn did not wrap, but a window made narrower since wraps it now.
        let up = self.drawnColumns.reduce(0) { $0 + max(1, ($1 + columns - 1) / columns) }
        if up > 0 { text += "\u{1B}[\(up)A" }
        text += self.finished.map { $0 + "\u{1B}[K\n" }.joined() + picture + "\u{1B}[J"
        Output.write(text)
        self.finished.removeAll()
        self.drawnColumns = bars.map { Terminal.columns(of: $0) }
        self.drawn = picture
    }

    private func bars(columns: Int, lines: Int) -> [String] {
        guard !self.unfinished.isEmpty else {
            return self.hasTable && self.finished.isEmpty && self.drawn.isEmpty ? ["Nothing is moving."] : []
        }
        let shown = self.unfinished.count > lines ? lines - 1 : self.unfinished.count
        var bars = Bar.lines(of: self.unfinished.prefix(shown), columns: columns)
        if shown < self.unfinished.count { bars.append("and \(self.unfinished.count - shown) more") }
        return bars
    }
}
