// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProgressProtocol

/// Figures and states as people read them: decimal units, one or two of them.
enum Words {
    /// `659 MB`, `1.2 GB`.
    static func size(_ bytes: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB"]
        var value = Double(max(bytes, 0))
        var unit = 0
        // 999.5 would be shown as 1000 of the smaller unit.
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        let digits = unit > 0 && value < 9.95 ? "%.1f" : "%.0f"
        return String(format: digits, value) + " " + units[unit]
    }

    /// `45 s`, `2 min 5 s`, `3 h 12 min`.
    static func time(milliseconds: Int64) -> String {
        let seconds = max(milliseconds, 0) / 1000
        switch seconds {
        case 0..<60: return "\(seconds) s"
        case 60..<3600: return "\(seconds / 60) min \(seconds % 60) s"
        case 3600..<86_400: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: return "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
        }
    }

    /// `0.7 s`, and the other form from ten seconds on.
    static func time(_ duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        guard milliseconds < 9950 else { return Self.time(milliseconds: milliseconds) }
        return String(format: "%.1f s", Double(milliseconds) / 1000)
    }

    /// The name without what would move the cursor or turn the writing round.
    static func name(of transfer: Transfer) -> String {
        let name = transfer.name.isEmpty ? transfer.id.description : transfer.name
        return Self.harmless(name)
    }

    /// Text of somebody else, safe for a terminal.
    static func harmless(_ text: String) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: clean.append("\u{FFFD}")
            case .format where scalar.value != 0x200D: clean.append("\u{FFFD}")
            default: clean.append(scalar)
            }
        }
        return String(clean)
    }

    /// How far, how fast, how long: `42 %, 276 MB of 659 MB, 11 MB/s, 33 s left`.
    static func progress(of transfer: Transfer) -> String {
        var parts: [String] = []
        if let percent = transfer.percent { parts.append("\(percent) %") }
        parts.append(Self.amount(of: transfer))
        parts += Self.pace(of: transfer)
        return parts.joined(separator: ", ")
    }

    /// `276 MB of 659 MB`, or what is there where the whole is unknown.
    static func amount(of transfer: Transfer) -> String {
        guard let total = transfer.total else { return Self.size(transfer.bytes) }
        return Self.size(transfer.bytes) + " of " + Self.size(total)
    }

    /// The rate and the time left, or in words why nothing moves.
    static func pace(of transfer: Transfer) -> [String] {
        switch transfer.state {
        case .running:
            guard let rate = transfer.rate else { return [] }
            guard rate > 0 else { return ["no bytes are coming"] }
            return [Self.size(rate) + "/s"]
                + (transfer.eta.map { [Self.time(milliseconds: max($0, 0) + 999) + " left"] } ?? [])
        case .queued: return ["waits for its turn"]
        case .paused: return [Self.because("paused", transfer)]
        case .retrying: return [Self.because("tries again", transfer)]
        case .finishing: return ["finishing"]
        default: return [Self.harmless(transfer.state.rawValue)]
        }
    }

    /// The one line that stays when it has ended.
    static func end(of transfer: Transfer, base: URL) -> String {
        let name = Self.name(of: transfer)
        switch transfer.outcome {
        case .succeeded:
            var line = "\(name): done, \(Self.size(transfer.bytes))"
            if let elapsed = transfer.elapsed { line += " in " + Self.time(.milliseconds(elapsed)) }
            if let href = transfer.href { line += ", " + Self.link(href, base: base) }
            return line
        case .failed:
            let why = transfer.error.map { Self.sentence($0) } ?? "nobody knows why"
            return "\(name): failed after \(Self.size(transfer.bytes)): \(why)"
        case .cancelled: return "\(name): cancelled after \(Self.size(transfer.bytes))"
        case nil: return "\(name): \(Self.progress(of: transfer))"
        }
    }

    private static func because(_ state: String, _ transfer: Transfer) -> String {
        guard let reason = transfer.reason else { return state }
        return state + " (" + (transfer.note.map(Self.harmless) ?? reason.title) + ")"
    }

    private static func sentence(_ problem: Problem) -> String {
        Self.harmless(problem.detail.isEmpty ? problem.title : problem.detail)
    }

    private static func link(_ href: String, base: URL) -> String {
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return Self.harmless(text + "/api/v1/" + href)
    }
}
