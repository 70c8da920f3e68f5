// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The terminal that standard output goes to.
enum Terminal {
    /// Whether lines can be drawn over.
    static var isInteractive: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"].map { $0 != "dumb" } ?? false
    }

    /// Columns and lines at this moment; a window may be resized at any time.
    static var size: (columns: Int, lines: Int) {
        var window = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(window.ws_col), Int(window.ws_row))
    }

    /// Whether it shows more than ASCII.
    static var isUnicode: Bool {
        let environment = ProcessInfo.processInfo.environment
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return locale.uppercased().contains("UTF-8") || locale.uppercased().contains("UTF8")
    }

    /// How many columns a text takes.
    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + Self.columns(of: $1) }
    }

    /// The beginning of a text that fits, with an ellipsis where something was cut.
    static func cut(_ text: String, to columns: Int) -> String {
        guard Self.columns(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        var cut = ""
        var used = 1
        for character in text {
            used += Self.columns(of: character)
            guard used <= columns else { break }
            cut.append(character)
        }
        return cut + (Self.isUnicode ? "…" : "~")
    }

    /// East Asian wide characters and most emoji take two columns; what only combines takes none of its own.
    private static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD:
            return 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: return 0
            default: return 1
            }
        }
    }
}
