// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// One transfer on one line of a terminal: name, percent, bar, figures; never wider than the window.
struct Bar {
    private let transfer: Transfer
    private let name: String
    private let percent: String
    private let figures: String

    init(of transfer: Transfer) {
        self.transfer = transfer
        self.name = Words.name(of: transfer)
        self.percent = transfer.percent.map { "\($0) %" } ?? ""
        self.figures = ([Words.amount(of: transfer)] + Words.pace(of: transfer)).joined(separator: "  ")
    }

    /// Lines of one picture: names, bars and figures each begin in one column.
    static func lines(of transfers: some Sequence<Transfer>, columns: Int) -> [String] {
        let bars = transfers.map { Bar(of: $0) }
        // The last column stays free: some terminals wrap when it is written.
        let room = columns - 1
        let longest = bars.map { Terminal.columns(of: $0.name) }.max() ?? 0
        let names = min(longest, max(room / 3, 8))
        let figures = bars.map { Terminal.columns(of: $0.figures) }.max() ?? 0
        let width = min(room - names - 1 - 5 - 1 - figures - 2, 40)
        return bars.map { Terminal.cut($0.line(names: names, width: width), to: room) }
    }

    private func line(names: Int, width: Int) -> String {
        let name = Terminal.cut(self.name, to: names)
        let gap = String(repeating: " ", count: max(names - Terminal.columns(of: name), 0))
        let percent = String(repeating: " ", count: max(5 - self.percent.count, 0)) + self.percent
        // Where there is no room for a bar, the figures are worth more.
        let bar = width >= 8 ? self.bar(columns: width) + "  " : ""
        return "\(name)\(gap) \(percent) \(bar)\(self.figures)"
    }

    private func bar(columns: Int) -> String {
        guard let percent = self.transfer.percent else {
            return String(repeating: Terminal.isUnicode ? "▒" : "-", count: columns)
        }
        let (full, empty) = Terminal.isUnicode ? ("█", "░") : ("#", ".")
        let filled = columns * percent / 100
        return String(repeating: full, count: filled) + String(repeating: empty, count: columns - filled)
    }
}
