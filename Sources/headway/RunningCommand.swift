// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProgressProtocol
import Locks

/// A command that runs under `headway run`: what it prints is passed on, and read for figures.
// @unchecked Sendable: `process` is started once, and then only waited for and signalled, which Foundation allows from
// any thread; the rest is behind a mutex.
final class RunningCommand: @unchecked Sendable {
    private struct State {
        var readers = [OutputProgress(), OutputProgress()]
        var latest: OutputProgress.Reading?
        var stoppedBy: Int32?
        var openStreams = 2
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let process = Process()
    private let state = Locked(State())

    init(_ path: String, _ arguments: [String]) {
        self.process.executableURL = URL(fileURLWithPath: path)
        self.process.arguments = arguments
    }

    /// How far it says it is.
    var report: Command.Report {
        let latest = self.state.withLock { $0.latest }
        return Command.Report(bytes: latest?.done, total: latest?.total)
    }

    /// The signal that was passed on to it.
    var stoppedBy: Int32? { self.state.withLock { $0.stoppedBy } }

    func start() throws {
        let streams = [(Foundation.Pipe(), ByteStream.output), (Foundation.Pipe(), ByteStream.complaints)]
        self.process.standardOutput = streams[0].0
        self.process.standardError = streams[1].0
        try self.process.run()
        for (index, (pipe, destination)) in streams.enumerated() {
            let source = pipe.fileHandleForReading
            Thread.detachNewThread { self.pass(source, to: destination, index) }
        }
    }

    /// Sends it a signal.
    func stop(_ signal: Int32) {
        self.state.withLock { $0.stoppedBy = $0.stoppedBy ?? signal }
        guard self.process.isRunning else { return }
        kill(self.process.processIdentifier, signal)
    }

    /// Waits until it has ended and everything that it printed was passed on.
    ///
    /// - Returns: its status, as a shell would say it.
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            let isOver = self.state.withLock { state in
                if state.openStreams > 0 { state.waiter = continuation }
                return state.openStreams == 0
            }
            if isOver { continuation.resume() }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                self.process.waitUntilExit()
                continuation.resume()
            }
        }
        let status = self.process.terminationStatus
        return self.process.terminationReason == .exit ? status : ExitStatus.ended(by: status)
    }

    private func pass(_ source: FileHandle, to destination: ByteStream, _ index: Int) {
        let stream = ByteStream(descriptor: source.fileDescriptor)
        while let piece = try? stream.read(upTo: 1 << 16), !piece.isEmpty {
            try? destination.write(piece)
            self.state.withLock { state in
                if let reading = state.readers[index].take(piece) { state.latest = reading }
            }
        }
        let waiter = self.state.withLock { state in
            state.openStreams -= 1
            defer { if state.openStreams == 0 { state.waiter = nil } }
            return state.openStreams == 0 ? state.waiter : nil
        }
        waiter?.resume()
    }
}
