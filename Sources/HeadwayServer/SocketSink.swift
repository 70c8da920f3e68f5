// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import WebServer

/// The broadcaster's way out: the loop's sockets.
///
/// Only on the loop's thread.
final class SocketSink: FrameSink {
    /// From the beginning of a turn until bytes were with the kernel, for each connection that the turn wrote to.
    private(set) var latency = Histogram.ofWork

    private let loop: ServiceLoop
    private let clock: ServerClock
    /// When the turn under way began; nil between turns.
    private var turnBegan: Duration?
    private var untimed: UInt64 = 0

    /// The clock is read once for so many writes.
    private static let writesPerReading: UInt64 = 32

    init(loop: ServiceLoop, clock: ServerClock) {
        self.loop = loop
        self.clock = clock
    }

    /// A turn begins to tell what was so at that time.
    func turnBegins(at clock: Duration) {
        self.turnBegan = clock
    }

    /// The turn is over; returns how long it took.
    func turnEnded() -> Duration {
        guard let began = self.turnBegan else { return .zero }
        let took = self.clock.elapsed - began
        self.note(took)
        self.turnBegan = nil
        return took
    }

    private func note(_ latency: Duration) {
        if self.untimed > 0 { self.latency.observe(latency, times: self.untimed) }
        self.untimed = 0
    }

    func deliver(_ bytes: [UInt8], to reader: ReaderID) -> Delivery {
        if let began = self.turnBegan {
            if self.untimed == Self.writesPerReading { self.note(self.clock.elapsed - began) }
            self.untimed += 1
        }
        return switch unsafe bytes.withUnsafeBytes({ unsafe self.loop.write($0, to: ConnectionID(reader)) }) {
        case .taken: .taken
        case .full: .full
        case .gone: .gone
        }
    }

    func awaitDrain(of reader: ReaderID) {
        self.loop.wantsDrain(ConnectionID(reader))
    }

    func pauseReading(of reader: ReaderID, _ isPaused: Bool) {
        self.loop.pauseReading(ConnectionID(reader), isPaused)
    }
}

extension ConnectionID {
    init(_ reader: ReaderID) {
        self.init(
            slot: UInt32(truncatingIfNeeded: reader.raw),
            generation: UInt32(truncatingIfNeeded: reader.raw >> 32)
        )
    }
}
