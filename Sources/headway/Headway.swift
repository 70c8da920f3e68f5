// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The command: its first word says what to do, the rest goes to that word.
@main
struct Headway {
    /// A word of the command.
    private struct Word: Sendable {
        let name: String
        let usage: String
        let help: String
        let run: @Sendable ([String]) async -> Int32
    }

    private static let words = [
        Word(
            name: "serve",
            usage: "serve [flags]",
            help: "run the server: it moves files and tells everyone how far it is",
            run: { await Serve.run(arguments: $0) }
        ),
        Word(
            name: "get",
            usage: "get URL [--name NAME]",
            help: "let a server fetch a link, and watch until it is there",
            run: { await Get.run(arguments: $0) }
        ),
        Word(
            name: "watch",
            usage: "watch [ID]",
            help: "see what a server is moving: everything, or one transfer to its end",
            run: { await Watch.run(arguments: $0) }
        ),
    ]

    static func main() async {
        exit(await Self.run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ arguments: [String]) async -> Int32 {
        guard let first = arguments.first else {
            Output.complain(Self.help)
            return ExitStatus.usage
        }
        switch first {
        case "--help", "-h", "help":
            Output.print(Self.help)
            return ExitStatus.succeeded
        case "--version":
            Output.print("headway \(HeadwayVersion.current)")
            return ExitStatus.succeeded
        default:
            guard let word = Self.words.first(where: { $0.name == first }) else {
                Output.complain("headway: \"\(first)\" is not a word of headway; headway --help lists them")
                return ExitStatus.usage
            }
            return await word.run(Array(arguments.dropFirst()))
        }
    }

    private static var help: String {
        let lines = Self.words.map { word in
            "  headway \(word.usage.padding(toLength: 24, withPad: " ", startingAt: 0))\(word.help)"
        }
        return """
            Moves files, and lets everyone see how far they are.

            \(lines.joined(separator: "\n"))

              --help                          this text; each word has its own, headway watch --help
              --version                       which version this is

            example: headway serve
                     headway get https://example.org/big.iso
            """
    }
}
