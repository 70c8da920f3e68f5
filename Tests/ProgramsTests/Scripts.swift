// SPDX-License-Identifier: Apache-2.0

import Locks
import Programs
import TestSupport

/// A program of a few lines of shell, and what is heard of its runs.
final class Script: Sendable {
    let directory: TemporaryDirectory
    let path: String
    private let heard = Locked<[String]>([])

    init(_ text: String, interpreter: String = "/bin/sh") throws {
        self.directory = try TemporaryDirectory()
        self.path = self.directory.path + "/script"
        try self.directory.write(Array("#!\(interpreter)\n\(text)\n".utf8), to: "script")
        try self.directory.makeExecutable("script")
    }

    /// The lines that it wrote.
    var lines: [String] { self.heard.withLock { $0 } }

    /// Runs it to its end.
    func run(
        environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        limit: Duration = .seconds(60),
        patience: Duration = .seconds(5),
        begun: (ProgramRun) async -> Void = { _ in }
    ) async -> ProgramEnd {
        var program = Program(path: self.path, environment: environment, limit: limit)
        program.patience = patience
        let (ends, told) = AsyncStream.makeStream(of: ProgramEnd.self)
        let run = ProgramRun.start(
            program,
            heard: { line in self.heard.withLock { $0.append(line) } },
            ended: {
                told.yield($0)
                told.finish()
            }
        )
        await begun(run)
        for await end in ends { return end }
        return .notRun("it was never told")
    }

    /// Waits until it has written a line.
    func until(_ line: String) async {
        for _ in 0..<6_000 where !self.lines.contains(line) { try? await Task.sleep(for: .milliseconds(10)) }
    }
}
