// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Signals that are heard of instead of ending the process.
enum Signals {
    /// Hears of each of these from now on.
    ///
    /// Before this returns a signal does what it does to everybody. It is never ignored: a source begins to listen a while
    /// after it was told to, on a busy machine a long while, and what was ignored until then nobody would ever hear of.
    static func listen(
        to numbers: [Int32],
        on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Int32) -> Void
    ) -> [any DispatchSourceSignal] {
        let listening = DispatchGroup()
        let sources = numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            listening.enter()
            source.setEventHandler { handler(number) }
            source.setRegistrationHandler { listening.leave() }
            source.resume()
            return source
        }
        listening.wait()
        return sources
    }
}
