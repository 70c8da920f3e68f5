// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// How changes are shown: bars, lines or JSON.
protocol TransferView {
    /// Takes a change in; what is drawn may wait for `draw()`.
    mutating func show(_ change: TableChange, of frame: Frame, base: URL)
    /// Shows that the connection is gone for the moment.
    mutating func lost(_ problem: Problem, retryIn wait: Duration)
    /// Nothing more has come for now: the moment to draw.
    mutating func draw()
}

/// Which view suits where the output goes.
enum ViewChoice {
    static func view(isJSON: Bool) -> any TransferView {
        if isJSON { return JSONView() }
        return Terminal.isInteractive ? BarView() : LineView()
    }
}
