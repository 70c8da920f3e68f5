// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol
import Synchronization

/// `headway run`: runs a command, and shows everyone how far it says it is.
enum Run: ClientWord {
    static let name = "run"
    static let operands = "-- COMMAND…"
    static let summary = "run a command, and show everyone how far it says it is"
    static let about = """
        Runs a command, and shows everyone how far it is: what it prints is passed on, and the figures in it are read
        (n %, and the progress of curl, wget and rsync --info=progress2). A server that does not answer holds nothing up.
        """
    static let flags = [
        Flag(name: "--name", value: "NAME", help: "what people shall read; default: the command"),
        Flag(name: "--group", value: "GROUP", help: "what it belongs to"),
    ]
    static let remarks = """
        Who cancels it on the page ends the command with SIGTERM. With --json, what the server answers goes to standard
        error.
        exit status: that of the command; 127 it could not be started, 64 wrong usage
        """
    static let example = "run --name mirror -- rsync -a --info=progress2 src/ host:dst/"
    static let takesCommand = true

    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        guard let program = arguments.subjects.first else {
            throw UsageError("the command is missing, as in: headway run -- curl -O https://example.org/big.iso")
        }
        guard let path = Self.path(of: program) else {
            Output.complain("headway run: there is no command \"\(Words.harmless(program))\"")
            return 127
        }
        let command = RunningCommand(path, Array(arguments.subjects.dropFirst()))
        let reporter = Reporter(
            client,
            Command.Work(
                name: arguments["--name"] ?? String(arguments.subjects.joined(separator: " ").prefix(200)),
                group: arguments["--group"]
            ),
            isJSON: arguments.has("--json"),
            progress: { command.report },
            whenEnded: { state in
                let how = Words.harmless(state?.rawValue ?? "ended")
                Output.complain("headway run: the task was \(how) elsewhere; stopping the command")
                command.stop(SIGTERM)
            }
        )
        let interrupt = Interrupt(signals: [SIGINT, SIGTERM, SIGHUP]) { command.stop($0) }
        defer { interrupt.cancel() }
        do {
            try command.start()
        } catch {
            Output.complain("headway run: \(Words.harmless(path)) can't be run: \(error.localizedDescription)")
            return 127
        }
        let reporting = Task { await reporter.run() }
        let status = await command.end()
        reporting.cancel()
        await reporter.end(Self.last(command, status))
        return status
    }

    private static func last(_ command: RunningCommand, _ status: Int32) -> Command.Report {
        if let signal = command.stoppedBy { return .interrupted(by: signal) }
        var report = command.report
        switch status {
        case 0:
            // What says that it is done is done: many stop printing a moment before.
            report.bytes = report.total ?? report.bytes
            report.state = .succeeded
        case 129...: report.state = .failed(Problem(.interrupted, "The command was ended by signal \(status - 128)"))
        default: report.state = .failed(Problem(.taskFailed, "The command ended with status \(status)"))
        }
        return report
    }

    /// Where the command is, as a shell would look for it.
    private static func path(of program: String) -> String? {
        let files = FileManager.default
        guard !program.contains("/") else { return files.isExecutableFile(atPath: program) ? program : nil }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(program)" }.first { path in
            var isFolder: ObjCBool = false
            return unsafe files.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
                && files.isExecutableFile(atPath: path)
        }
    }
}
