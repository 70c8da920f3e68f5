// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The command: its first word says what to do, the rest goes to that word.
@main
struct Headway {
    /// The words that talk to a server.
    static var clientWords: [any ClientWord.Type] {
        [
            Get.self, Send.self, Push.self, Watch.self, List.self, Pause.self, Resume.self, Start.self, Change.self,
            Cancel.self, Retry.self, Remove.self,
            Pipe.self,
            Run.self,
        ]
    }

    static func main() async {
        exit(await Self.run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ arguments: [String]) async -> Int32 {
        guard let first = arguments.first else {
            Output.complain(Self.help)
            return ExitStatus.usage
        }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "--help", "-h", "help":
            Output.print(Self.help)
            return ExitStatus.succeeded
        case "--version":
            Output.print("headway \(HeadwayVersion.current)")
            return ExitStatus.succeeded
        case "serve": return await Serve.run(arguments: rest)
        case "backup": return Backup.run(arguments: rest)
        case "completion": return Completion.run(arguments: rest)
        default:
            guard let word = Self.clientWords.first(where: { $0.name == first }) else {
                Output.complain("headway: \"\(first)\" is not a word of headway; headway --help lists them")
                return ExitStatus.usage
            }
            return await word.run(arguments: rest)
        }
    }

    private static var help: String {
        let serve = ("serve [flags]", "run the server: it moves files and tells everyone how far it is")
        let backup = ("backup DIR", "copy database and files of a server that may go on working")
        let completion = ("completion bash|zsh", "print what makes a shell complete these words")
        let clients = Self.clientWords.map { ("\($0.name) \($0.operands)", $0.summary) }
        let words = ([serve] + clients + [backup, completion]).map { ("headway \($0.0)", $0.1) }
        let flags = [
            ("--help", "this text; each word has its own, headway watch --help"),
            ("--version", "which version this is"),
        ]
        let width = ((words + flags).map(\.0.count).max() ?? 0) + 2
        let line = { (text: (String, String)) in
            "  " + text.0.padding(toLength: width, withPad: " ", startingAt: 0) + text.1
        }
        return """
            Moves files, and lets everyone see how far they are.

            \(words.map(line).joined(separator: "\n"))

            \(flags.map(line).joined(separator: "\n"))

            example: headway serve
                     headway get https://example.org/big.iso
            """
    }
}
