// SPDX-License-Identifier: Apache-2.0

/// Writes metrics as Prometheus reads them: text format 0.0.4.
///
/// A family is begun with its name, kind and help; its samples follow.
///
/// For example:
///
///     var text = MetricsText()
///     text.family("headway_rounds_begun_total", .counter, "Rounds that took more than one write.")
///     text.sample(12)
struct MetricsText {
    enum Kind: String { case counter, gauge, histogram }

    private(set) var text = ""
    private var name = ""

    /// Begins a family; its name says the unit, and ends in `_total` where it only rises.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        let escaped = help.map { $0 == "\\" ? "\\\\" : $0 == "\n" ? "\\n" : String($0) }.joined()
        self.text += "# HELP \(name) \(escaped)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func sample(_ value: UInt64, _ labels: KeyValuePairs<String, String> = [:]) {
        self.line("", Array(labels), "\(value)")
    }

    /// Seconds.
    mutating func sample(_ value: Duration, _ labels: KeyValuePairs<String, String> = [:]) {
        self.line("", Array(labels), Self.seconds(value))
    }

    /// A family with nothing but these counters, under one label.
    mutating func counters<Label>(_ name: String, _ help: String, by label: String, _ tally: Tally<Label>) {
        self.family(name, .counter, help)
        for (key, count) in tally.all { self.sample(count, [label: key.rawValue]) }
    }

    /// A family with nothing but this histogram, in seconds; each bucket also counts what is in those below.
    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        self.family(name, .histogram, help)
        var below: UInt64 = 0
        for (bound, count) in zip(histogram.bounds, histogram.counts) {
            below += count
            self.line("_bucket", [("le", Self.seconds(bound))], "\(below)")
        }
        self.line("_bucket", [("le", "+Inf")], "\(histogram.count)")
        self.line("_sum", [], Self.seconds(histogram.sum))
        self.line("_count", [], "\(histogram.count)")
    }

    private mutating func line(_ suffix: String, _ labels: [(key: String, value: String)], _ value: String) {
        self.text += self.name + suffix
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
            self.text += "{" + pairs.joined(separator: ",") + "}"
        }
        self.text += " \(value)\n"
    }

    private static func escaped(_ value: String) -> String {
        value.map { $0 == "\\" ? "\\\\" : $0 == "\"" ? "\\\"" : $0 == "\n" ? "\\n" : String($0) }.joined()
    }

    private static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return "\(Double(seconds) + Double(attoseconds) / 1e18)"
    }
}
