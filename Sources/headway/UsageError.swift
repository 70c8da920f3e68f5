// SPDX-License-Identifier: Apache-2.0

/// The command line makes no sense; the text names the word that was wrong and says what would be right.
struct UsageError: Error {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
