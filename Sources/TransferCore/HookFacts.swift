// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What the operator's program is told of a transfer that has ended: all of its environment.
package enum HookFacts {
    /// What is handed on of our own environment, where it is there.
    private static let inherited = ["PATH", "HOME", "LANG"]
    /// Bytes of a value that others have a say in.
    private static let maximumBytes = 8192
    /// How many files of a form are named; all of them are counted.
    private static let maximumFiles = 100

    /// - Parameters:
    ///   - transfer: as it ended.
    ///   - files: the absolute paths of what it has stored.
    ///   - ours: our own environment.
    /// - Returns: names and values, none of them with a line end or a zero byte that others brought in.
    package static func environment(
        of transfer: Transfer,
        files: [String],
        ours: [String: String]
    ) -> [String: String] {
        var facts: [String: String] = [:]
        for name in self.inherited { facts[name] = ours[name] }
        let texts: [(String, String?)] = [
            ("ID", "\(transfer.id)"), ("KIND", transfer.kind.rawValue), ("OUTCOME", transfer.outcome?.rawValue),
            ("NAME", transfer.name), ("GROUP", transfer.group), ("OWNER", transfer.owner),
            ("SOURCE", transfer.source), ("TARGET", transfer.target), ("BYTES", "\(transfer.bytes)"),
            ("TOTAL", transfer.total.map { "\($0)" }), ("DIGEST", transfer.digest),
            ("ERROR", transfer.error?.code.rawValue), ("ERROR_DETAIL", transfer.error?.detail),
            ("RETRY_OF", transfer.retryOf.map { "\($0)" }), ("FINISHED_AT", transfer.finishedAt.map { "\($0)" }),
        ]
        for (name, text) in texts { facts["HEADWAY_" + name] = text.map(self.oneLine) ?? "" }
        facts["HEADWAY_FILE"] = files.first ?? ""
        facts["HEADWAY_FILES"] = "\(files.count)"
        for (index, file) in files.prefix(self.maximumFiles).enumerated().dropFirst() {
            facts["HEADWAY_FILE_\(index + 1)"] = file
        }
        return facts
    }

    /// Scripts read lines: what others wrote has none of their own, nor anything else that a terminal obeys, nor a zero
    /// byte, at which a value would end.
    private static func oneLine(_ text: String) -> String {
        var line = ""
        var room = self.maximumBytes
        for character in text {
            let shown = character.unicodeScalars.contains(where: self.isControl) ? "\u{FFFD}" : character
            room -= shown.utf8.count
            guard room >= 0 else { break }
            line.append(shown)
        }
        return line
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }
}
