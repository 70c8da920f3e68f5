// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Locks

/// A program of the operator while it runs.
///
/// A thread of its own starts it, reads what it writes and waits for it, and for nobody else's child: it asks for this one
/// by its number, so that whoever else starts programs hears of theirs.
///
///     let run = ProgramRun.start(program, heard: { log($0) }, ended: { print($0) })
///     run.stop(after: .seconds(3), patience: .seconds(2))
///
/// Any thread may call `stop`; both closures are called on the run's thread, `ended` once and last.
package final class ProgramRun: Sendable {
    private struct Stop {
        let at: ContinuousClock.Instant
        let patience: Duration
    }

    private let program: Program
    private let heard: @Sendable (String) -> Void
    private let stop = Locked<Stop?>(nil)

    private init(_ program: Program, _ heard: @escaping @Sendable (String) -> Void) {
        self.program = program
        self.heard = heard
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - program: what is to run.
    ///   - heard: is given the lines that it writes, the first hundred of them, each cut to 1000 bytes.
    ///   - ended: is told how it ended, also when it never began.
    /// - Returns: what it can be stopped by.
    package static func start(
        _ program: Program,
        heard: @escaping @Sendable (String) -> Void,
        ended: @escaping @Sendable (ProgramEnd) -> Void
    ) -> ProgramRun {
        let run = ProgramRun(program, heard)
        DispatchQueue(label: "program").async { ended(run.run()) }
        return run
    }

    /// Asks it to end after `grace`, if it has not by then, and ends it `patience` later.
    package func stop(after grace: Duration, patience: Duration) {
        self.stop.withLock { $0 = Stop(at: .now + grace, patience: patience) }
    }

    private func run() -> ProgramEnd {
        do throws(Spawn.Failure) {
            let started = ContinuousClock.now
            let pipe = try OutputPipe()
            let pid = try Spawn.start(self.program, output: pipe.writingEnd)
            return try self.attend(pid, since: started, pipe)
        } catch {
            return .notRun(error.words)
        }
    }

    /// Reads on and looks after the time until it has ended.
    ///
    /// It looks at least ten times a second: a program's end wakes nobody where it leaves the pipe to a child, or closed
    /// it long ago.
    private func attend(
        _ pid: pid_t,
        since started: ContinuousClock.Instant,
        _ pipe: consuming OutputPipe
    ) throws(Spawn.Failure) -> ProgramEnd {
        var deadlines = Deadlines(limit: self.program.limit, patience: self.program.patience)
        var lines = OutputLines()
        pipe.closeWritingEnd()
        while true {
            pipe.read(waiting: .milliseconds(100)) { self.tell($0, &lines) }
            if try Self.hasEnded(pid) { break }
            if let stop = self.stop.withLock({ $0 }) {
                deadlines.stop(at: stop.at - started, patience: stop.patience)
            }
            switch deadlines.due(at: .now - started) {
            case .ask: kill(-pid, SIGTERM)
            case .end: kill(-pid, SIGKILL)
            case nil: break
            }
        }
        // What is in the pipe was written before the end; who writes after it is not waited for.
        pipe.drain { self.tell($0, &lines) }
        if let line = lines.end() { self.heard(line) }
        // It is not reaped yet, so its number is still that of its group. Who was asked to end leaves nobody behind.
        if deadlines.cause != nil { kill(-pid, SIGKILL) }
        var status: Int32 = 0
        while unsafe waitpid(pid, &status, 0) == -1, errno == EINTR {}
        return deadlines.cause ?? ProgramEnd(waitStatus: status)
    }

    private func tell(_ piece: ArraySlice<UInt8>, _ lines: inout OutputLines) {
        // One that never stops writing gets through, but not at the price of a whole core.
        if lines.isFull { usleep(1000) }
        for line in lines.take(piece) { self.heard(line) }
    }

    /// Looks without reaping.
    private static func hasEnded(_ pid: pid_t) throws(Spawn.Failure) -> Bool {
        var found = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(pid), &found, WEXITED | WNOHANG | WNOWAIT) == -1 {
            guard errno == EINTR else { throw Spawn.Failure(code: errno) }
        }
        return unsafe found.si_signo == SIGCHLD
    }
}
