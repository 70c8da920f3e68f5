// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Standard output and standard error, written at once and without a buffer.
enum Output {
    /// Writes a line of results.
    static func print(_ line: String) {
        Self.write(line + "\n")
    }

    /// Writes results as they are.
    static func write(_ text: String) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            // Whoever read this has gone, as in `headway watch | head`.
            exit(ExitStatus.failed)
        }
    }

    /// Writes a line for the person at the keyboard.
    static func complain(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
