// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Says a last word on Ctrl-C, and ends the process.
final class Interrupt {
    private let source: any DispatchSourceSignal

    init(_ lastWord: @escaping @Sendable () -> Void) {
        signal(SIGINT, SIG_IGN)
        self.source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        self.source.setEventHandler {
            lastWord()
            exit(ExitStatus.interrupted)
        }
        self.source.resume()
    }

    func cancel() {
        self.source.cancel()
    }
}
