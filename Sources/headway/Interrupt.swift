// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// What is to be done on Ctrl-C, SIGTERM or a hang-up; then the process ends as shells expect it.
final class Interrupt {
    private let sources: [any DispatchSourceSignal]

    /// Says a last word, and ends the process.
    convenience init(_ lastWord: @escaping @Sendable (Int32) -> Void) {
        self.init(signals: [SIGINT]) { number in
            lastWord(number)
            exit(ExitStatus.ended(by: number))
        }
    }

    /// Hears of the signals; what happens then is the handler's.
    init(signals: [Int32], _ handler: @escaping @Sendable (Int32) -> Void) {
        self.sources = Signals.listen(to: signals, on: .global(), handler)
    }

    func cancel() {
        for source in self.sources { source.cancel() }
    }
}
