// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import WebServer

/// The broadcaster's way out: the loop's sockets.
///
/// Only on the loop's thread.
final class SocketSink: FrameSink, Sendable {
    private let loop: ServiceLoop

    init(loop: ServiceLoop) {
        self.loop = loop
    }

    func deliver(_ bytes: [UInt8], to reader: ReaderID) -> Delivery {
        switch unsafe bytes.withUnsafeBytes({ unsafe self.loop.write($0, to: ConnectionID(reader)) }) {
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
