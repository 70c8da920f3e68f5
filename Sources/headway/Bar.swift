// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// One transfer on one line of a terminal: name, percent, bar, figures; never wider than the window.
struct Bar {
    let text: String

    init(of transfer: Transfer, nameColumns: Int, columns: Int) {
        // The last column stays free: some terminals wrap when it is written.
        let room = columns - 1
        var name = Terminal.cut(Words.name(of: transfer), to: nameColumns)
        name += String(repeating: " ", count: max(nameColumns - Terminal.columns(of: name), 0))
        let percent = transfer.percent.map { "\($0) %" } ?? ""
        let padded = String(repeating: " ", count: max(5 - percent.count, 0)) + percent
        let figures = ([Words.amount(of: transfer)] + Words.pace(of: transfer)).joined(separator: "  ")
        let left = room - nameColumns - 1 - padded.count - 1
        let barColumns = min(left - Terminal.columns(of: figures) - 2, 40)
        guard barColumns >= 8 else {
            self.text = Terminal.cut("\(name) \(padded) \(figures)", to: room)
            return
        }
        self.text = "\(name) \(padded) \(Self.bar(transfer, columns: barColumns))  \(figures)"
    }

    private static func bar(_ transfer: Transfer, columns: Int) -> String {
        let (full, empty) = Terminal.isUnicode ? ("█", "░") : ("#", ".")
        guard let percent = transfer.percent else {
            return String(repeating: Terminal.isUnicode ? "▒" : "-", count: columns)
        }
        let filled = columns * percent / 100
        return String(repeating: full, count: filled) + String(repeating: empty, count: columns - filled)
    }
}
