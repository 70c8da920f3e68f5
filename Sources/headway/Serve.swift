// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HeadwayServer
import Locks

/// The word `headway serve`: runs the server until it is told to stop.
enum Serve {
    /// Exit statuses, as in sysexits(3) where there is one.
    private static let misuse: Int32 = 64
    private static let cannotStart: Int32 = 1

    static func run(arguments: [String]) async -> Int32 {
        if arguments.contains("--help") || arguments.contains("-h") {
            Self.print(Configuration.help)
            return 0
        }
        let configuration: Configuration
        do {
            configuration = try Configuration(flags: arguments, environment: ProcessInfo.processInfo.environment)
        } catch {
            Self.complain(error.description)
            return Self.misuse
        }
        let signals = StopSignals()
        // Nothing has begun before.
        let queue = DispatchQueue(label: "signals")
        let sources = Signals.listen(to: [SIGTERM, SIGINT], on: queue) { _ in signals.arrived() }
        defer { withExtendedLifetime(sources) {} }
        // A terminal that goes, a peer that goes and a file that may not grow are none of them a reason to die.
        for number in [SIGHUP, SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
        // Who started us may ignore it: then nobody could tell how a program has ended that we start.
        signal(SIGCHLD, SIG_DFL)
        let server: Server
        do {
            server = try await Server(configuration, log: Log(configuration.log))
        } catch {
            Self.complain(error.description)
            return Self.cannotStart
        }
        Self.print("Headway is at \(server.address)")
        await signals.first()
        // What hangs, a stuck disk say, must not keep the operator waiting: ten seconds are promised.
        DispatchQueue.global().asyncAfter(deadline: .now() + 9) {
            Self.complain("stopping took too long; what was synced is kept")
            exit(0)
        }
        await server.stop()
        return 0
    }

    private static func print(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func complain(_ line: String) {
        FileHandle.standardError.write(Data(("headway: " + line + "\n").utf8))
    }
}

/// SIGTERM and SIGINT: the first asks the server to stop in order, the second ends the process at once.
private final class StopSignals: Sendable {
    private struct State {
        var count = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Returns when the first signal has come.
    func first() async {
        await withCheckedContinuation { continuation in
            let hasCome = self.state.withLock { state in
                if state.count == 0 { state.waiter = continuation }
                return state.count > 0
            }
            if hasCome { continuation.resume() }
        }
    }

    func arrived() {
        let (count, waiter) = self.state.withLock { state in
            state.count += 1
            defer { state.waiter = nil }
            return (state.count, state.waiter)
        }
        if count > 1 { exit(1) }
        waiter?.resume()
    }
}
