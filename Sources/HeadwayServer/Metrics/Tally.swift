// SPDX-License-Identifier: Apache-2.0

/// Counters under labels from a closed set: all of them are there from the start, at 0.
struct Tally<Label: RawRepresentable & CaseIterable & Hashable & Sendable>: Sendable, Equatable
where Label.RawValue == String {
    private var counts = Dictionary(uniqueKeysWithValues: Label.allCases.map { ($0, UInt64(0)) })

    subscript(label: Label) -> UInt64 {
        get { self.counts[label] ?? 0 }
        set { self.counts[label] = newValue }
    }

    /// In the order in which the labels are declared.
    var all: [(label: Label, count: UInt64)] { Label.allCases.map { ($0, self[$0]) } }
}
