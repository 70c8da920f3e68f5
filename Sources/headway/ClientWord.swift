// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// A word of the command that talks to a server: what it says of itself, and what it does.
///
/// The help, the list of words and the shells' completion are all made from what stands here.
protocol ClientWord {
    static var name: String { get }
    /// What stands behind it: `URL`, `[ID]`.
    static var operands: String { get }
    /// For the list of words: a few, beginning small.
    static var summary: String { get }
    /// What it does, in a sentence or two.
    static var about: String { get }
    /// Its own flags, without those that every word has.
    static var flags: [Flag] { get }
    /// What else is good to know; may be empty.
    static var remarks: String { get }
    /// How it is used, without `headway`.
    static var example: String { get }
    /// Whether everything from the first word that is no flag on is a command.
    static var takesCommand: Bool { get }

    /// Does it.
    ///
    /// - Returns: the exit status.
    /// - Throws: `UsageError` or `Problem`, which are told in one line.
    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32
}

extension ClientWord {
    static var flags: [Flag] { [] }
    static var remarks: String {
        "exit status: 0 succeeded, 1 failed or cancelled, 2 no server answers, 64 wrong usage"
    }
    static var takesCommand: Bool { false }

    static var allFlags: [Flag] { Self.flags + [.url, .json, .help] }

    /// Reads the flags, and does it.
    static func run(arguments: [String]) async -> Int32 {
        do {
            let words = try Arguments(
                arguments,
                flags: Self.allFlags,
                stopsAtSubject: Self.takesCommand,
                environment: ProcessInfo.processInfo.environment
            )
            guard !words.has("--help") else {
                Output.print(Self.help)
                return ExitStatus.succeeded
            }
            return try await Self.run(words, try words.client)
        } catch let error as UsageError {
            Output.complain("headway \(Self.name): " + error.description)
            return ExitStatus.usage
        } catch let problem as Problem {
            Output.complain("headway \(Self.name): " + Words.harmless(problem.detail))
            return ExitStatus.of(problem)
        } catch {
            Output.complain("headway \(Self.name): \(error)")
            return ExitStatus.failed
        }
    }

    private static var help: String {
        let flags = Self.allFlags.map { ($0.name + ($0.value.map { " " + $0 } ?? ""), $0.help) }
        let width = (flags.map(\.0.count).max() ?? 0) + 3
        let lines = flags.map { "  " + $0.0.padding(toLength: width, withPad: " ", startingAt: 0) + $0.1 }
        let operands = Self.operands.isEmpty ? "" : " " + Self.operands
        return """
            \(Self.about)

            usage: headway \(Self.name) [flags]\(operands)

            \(lines.joined(separator: "\n"))

            \(Self.remarks)

            example: headway \(Self.example)
            """
    }

    /// The ids among the operands.
    ///
    /// - Throws: `UsageError` for what is none.
    static func ids(_ texts: [String]) throws(UsageError) -> [TransferID] {
        var ids: [TransferID] = []
        for text in texts {
            guard let id = TransferID(text) else {
                throw UsageError("\"\(text)\" is no transfer's id; they look like 01938f5e-7c1a-7b2d-9c4e-5f60718293a4")
            }
            ids.append(id)
        }
        return ids
    }
}
