// SPDX-License-Identifier: Apache-2.0

/// Which transfers to list, a page at a time, newest first.
///
/// An empty list of wanted values wants all.
package struct HistoryQuery: Sendable, Equatable {
    package static let maximumLimit = 1000

    package var states: [String]
    package var kinds: [String]
    package var groups: [String]
    /// A part of the name or of the source, in capitals or not.
    package var text: String?
    /// Only what has ended.
    package var onlyEnded: Bool
    /// How many, from 1 to 1,000; what is outside is brought inside.
    package var limit: Int
    /// Where the page before this one ended: its `next`.
    package var after: String?

    package init(
        states: [String] = [],
        kinds: [String] = [],
        groups: [String] = [],
        text: String? = nil,
        onlyEnded: Bool = false,
        limit: Int = 100,
        after: String? = nil
    ) {
        self.states = states
        self.kinds = kinds
        self.groups = groups
        self.text = text
        self.onlyEnded = onlyEnded
        self.limit = limit
        self.after = after
    }
}
