// SPDX-License-Identifier: Apache-2.0

/// `headway completion`: prints what makes a shell complete the words and their flags.
enum Completion {
    private static let usage = "usage: headway completion bash|zsh, as in: source <(headway completion bash)"

    static func run(arguments: [String]) -> Int32 {
        switch arguments {
        case ["bash"]: Output.print(Self.bash)
        case ["zsh"]: Output.print(Self.zsh)
        case ["--help"]: Output.print(Self.usage)
        default:
            Output.complain(Self.usage)
            return ExitStatus.usage
        }
        return ExitStatus.succeeded
    }

    private static var names: [String] {
        ["serve"] + Headway.clientWords.map { $0.name } + ["backup", "completion"]
    }

    private static var bash: String {
        let cases = Headway.clientWords.map { word in
            "        \(word.name)) flags=\"\(word.allFlags.map(\.name).joined(separator: " "))\" ;;"
        }
        return """
            _headway() {
                local word=${COMP_WORDS[COMP_CWORD]} flags=--help
                if ((COMP_CWORD == 1)); then
                    mapfile -t COMPREPLY < <(compgen -W "\(Self.names.joined(separator: " "))" -- "$word")
                    return
                fi
                case ${COMP_WORDS[1]} in
            \(cases.joined(separator: "\n"))
                    backup) flags="\(Backup.flags.map(\.name).joined(separator: " "))" ;;
                    completion) flags="bash zsh" ;;
                esac
                mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
            }
            complete -o default -F _headway headway
            """
    }

    private static var zsh: String {
        let words = Headway.clientWords.map { "        '\($0.name):\(Self.quoted($0.summary))'" }
        let cases = Headway.clientWords.map { word in
            let flags = word.allFlags.map { flag in
                "'\(flag.name)\(flag.value == nil ? "" : "=")[\(Self.quoted(flag.help))]\(flag.value.map { ":" + $0 } ?? "")'"
            }
            return "            \(word.name)) _arguments \(flags.joined(separator: " ")) '*:file:_files' ;;"
        }
        return """
            #compdef headway
            _headway() {
                local -a headway_words=(
                    'serve:run the server'
            \(words.joined(separator: "\n"))
                    'backup:copy database and files of a server'
                    'completion:print what makes a shell complete these words'
                )
                if ((CURRENT == 2)); then
                    _describe 'word' headway_words
                else
                    shift words
                    ((CURRENT--))
                    case $words[1] in
            \(cases.joined(separator: "\n"))
                        backup) _arguments '--data=[the data folder]:DIR:_files -/' '*:folder:_files -/' ;;
                        completion) _values shell bash zsh ;;
                    esac
                fi
            }
            compdef _headway headway
            """
    }

    /// Text inside single quotes and brackets of zsh.
    private static func quoted(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(
            ":",
            with: "\\:"
        )
    }
}
