// SPDX-License-Identifier: Apache-2.0

extension Configuration {
    /// One thing that can be set: by a flag, or by the environment.
    struct Option {
        let flag: String
        /// The word that stands for its value in the help; nil where the flag alone says it.
        let value: String?
        let help: String
        let take: @Sendable (inout Configuration, String) throws(UsageError) -> Void

        var variable: String {
            "HEADWAY_" + String(self.flag.dropFirst(2).map { $0 == "-" ? "_" : Character($0.uppercased()) })
        }
    }

    /// Reads flags, and behind them the environment; what neither says keeps its default.
    ///
    /// - Throws: `UsageError` that names the flag or variable, its value, and what would be right.
    package init(flags: [String], environment: [String: String]) throws(UsageError) {
        self.init()
        for option in Self.options {
            guard let text = environment[option.variable], !text.isEmpty else { continue }
            // Flags that may be repeated take a list from the environment.
            let values = option.help.contains("(repeatable)") ? text.split(separator: ",").map(String.init) : [text]
            for value in values {
                try Self.naming(option.variable) { () throws(UsageError) in try option.take(&self, value) }
            }
        }
        var rest = flags[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = Self.options.first(where: { $0.flag == parts[0] }) else {
                throw UsageError("\(parts[0]) is not a flag of headway serve; headway serve --help lists them")
            }
            var value = parts.count > 1 ? parts[1] : nil
            if option.value == nil {
                value = value ?? "yes"
            } else if value == nil {
                value = rest.popFirst()
            }
            guard let value, !value.isEmpty else {
                throw UsageError("\(option.flag) needs a value: \(option.value ?? "")")
            }
            try Self.naming(option.flag) { () throws(UsageError) in try option.take(&self, value) }
        }
        guard self.isLoopback || self.allowsAnyone else {
            throw UsageError(
                "--listen \(self.address) can be reached by others, and there is no sign-in yet: "
                    + "add --allow-anyone if everybody there may use it, or listen on 127.0.0.1"
            )
        }
    }

    /// What `headway serve --help` prints.
    package static var help: String {
        let lines = Self.options.map { option in
            let flag = option.value.map { option.flag + " " + $0 } ?? option.flag
            let space = String(repeating: " ", count: max(1, 27 - flag.count))
            return "  \(flag)\(space)\(option.help)"
        }
        return """
            Moves files and tells everyone who is connected how far it has got.

            usage: headway serve [flags]

            \(lines.joined(separator: "\n"))
              --help                     this text

            Each flag may also be set in the environment: --max-active as HEADWAY_MAX_ACTIVE, and so on;
            repeatable ones as a list with commas. A flag beats the environment.

            example: headway serve --listen 127.0.0.1:9000 --data /srv/headway
            """
    }

    private static func naming(_ name: String, _ body: () throws(UsageError) -> Void) throws(UsageError) {
        do { try body() } catch { throw UsageError("\(name): \(error.description)") }
    }
}
