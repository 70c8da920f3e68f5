// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol
import Synchronization

/// `headway pipe`: passes bytes on, and shows everyone how many.
enum Pipe: ClientWord {
    static let name = "pipe"
    static let operands = ""
    static let summary = "pass standard input on, and show everyone how far it is"
    static let about = """
        Passes standard input to standard output as it is, and shows everyone how many bytes went through. A server that
        does not answer holds nothing up.
        """
    static let flags = [
        Flag(name: "--name", value: "NAME", help: "what people shall read; default: pipe"),
        Flag(name: "--total", value: "BYTES", help: "how many there will be, as 5000000 or 5M; default: unknown"),
        Flag(name: "--group", value: "GROUP", help: "what it belongs to"),
    ]
    static let remarks = """
        With --json, what the server answers goes to standard error.
        exit status: 0 everything was passed on, 1 it could not be written, 64 wrong usage
        """
    static let example = "pipe --name backup < disk.img | ssh host 'cat > disk.img'"

    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        if let word = arguments.subjects.first { throw UsageError("\"\(word)\" is one word too many") }
        let total = try arguments.bytes("--total")
        let passed = PassedBytes()
        let reporter = Reporter(
            client,
            Command.Work(name: arguments["--name"] ?? "pipe", group: arguments["--group"], total: total),
            isJSON: arguments.has("--json"),
            progress: { Self.report(passed.count, total: total) }
        )
        let reporting = Task { await reporter.run() }
        let interrupt = Interrupt(signals: [SIGINT, SIGTERM, SIGHUP]) { number in
            Task {
                await reporter.end(.interrupted(by: number, bytes: passed.count))
                exit(ExitStatus.ended(by: number))
            }
        }
        defer { interrupt.cancel() }
        signal(SIGPIPE, SIG_IGN)
        let failure = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Self.copy(counting: passed)) }
        }
        reporting.cancel()
        var last = Self.report(passed.count, total: total)
        last.state = failure.map { .failed(Problem(.interrupted, $0)) } ?? .succeeded
        await reporter.end(last)
        guard let failure else { return ExitStatus.succeeded }
        Output.complain("headway pipe: " + failure)
        return ExitStatus.failed
    }

    /// - Returns: why it ended early; nil at the end of the input.
    private static func copy(counting passed: PassedBytes) -> String? {
        while true {
            let piece: [UInt8]
            do throws(ByteStream.Failure) { piece = try ByteStream.input.read(upTo: 1 << 17) } catch {
                return "standard input can't be read: \(error.reason)"
            }
            guard !piece.isEmpty else { return nil }
            do throws(ByteStream.Failure) { try ByteStream.output.write(piece) } catch {
                return "standard output can't be written: \(error.reason)"
            }
            passed.add(piece.count)
        }
    }

    private static func report(_ bytes: Int64, total: Int64?) -> Command.Report {
        // More than was announced: then that is how much there is.
        Command.Report(bytes: bytes, total: total.map { max($0, bytes) })
    }
}

/// How many bytes went through, for those who look on.
private final class PassedBytes: Sendable {
    private let total = Atomic<Int64>(0)

    var count: Int64 { self.total.load(ordering: .relaxed) }

    func add(_ count: Int) {
        self.total.add(Int64(count), ordering: .relaxed)
    }
}

extension Command.Report {
    /// The work was ended from outside.
    static func interrupted(by signal: Int32, bytes: Int64? = nil) -> Self {
        let name = [SIGINT: "SIGINT", SIGTERM: "SIGTERM", SIGHUP: "SIGHUP"][signal] ?? "signal \(signal)"
        return Self(bytes: bytes, state: .failed(Problem(.interrupted, "It was ended by \(name)")))
    }
}
