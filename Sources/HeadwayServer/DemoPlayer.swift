// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore

/// Plays a demo's script: the pretend download.
///
/// It moves no bytes; the tick asks it how far it would be.
struct DemoPlayer {
    let order: Command.Demo
    let script: DemoScript
    /// When the running stretch began; nil while it stands still.
    private var since: Duration?
    /// How much of the script had been played before that.
    private var played: Duration = .zero

    init(_ order: Command.Demo, seed: UInt64) {
        self.order = order
        self.script = DemoScript(order, seed: seed)
    }

    var isPlaying: Bool { self.since != nil }

    /// Goes on from so many bytes.
    mutating func start(from bytes: Int64, at clock: Duration) {
        if self.script.bytes(at: self.played) != bytes { self.played = self.time(of: bytes) }
        self.since = clock
    }

    mutating func stop(at clock: Duration) {
        self.played = self.position(at: clock)
        self.since = nil
    }

    func bytes(at clock: Duration) -> Int64 {
        self.script.bytes(at: self.position(at: clock))
    }

    /// How it ended, once it has.
    func end(at clock: Duration) -> FetchEnd? {
        self.script.end(at: self.position(at: clock))
    }

    private func position(at clock: Duration) -> Duration {
        self.played + (self.since.map { clock - $0 } ?? .zero)
    }

    /// The first millisecond of the script at which so many bytes are there.
    private func time(of bytes: Int64) -> Duration {
        var low: Int64 = 0
        var high: Int64 = 1
        while self.script.bytes(at: .milliseconds(high)) < bytes, high < 1 << 50 { high *= 2 }
        while low < high {
            let middle = (low + high) / 2
            if self.script.bytes(at: .milliseconds(middle)) < bytes { low = middle + 1 } else { high = middle }
        }
        return .milliseconds(low)
    }
}
