// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProgressProtocol

/// Lines for the operator on standard error: for people, or one JSON object each.
///
/// Names and addresses from outside may hold anything, so control characters are escaped: one event is one line.
package struct Log: Sendable {
    private let style: Configuration.LogStyle

    package init(_ style: Configuration.LogStyle) {
        self.style = style
    }

    /// Writes one line.
    package func callAsFunction(_ message: String) {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        var line: [UInt8]
        switch self.style {
        case .text:
            line = Array("\(now) ".utf8)
            for scalar in message.unicodeScalars {
                if scalar.value < 0x20 || scalar.value == 0x7F || (0x80..<0xA0).contains(scalar.value) {
                    line.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
                } else {
                    line.append(contentsOf: Character(scalar).utf8)
                }
            }
        case .json:
            var writer = JSONWriter()
            writer.open("{")
            writer.member("at", now)
            writer.member("message", message)
            writer.close("}")
            line = writer.bytes
        }
        line.append(0x0A)
        FileHandle.standardError.write(Data(line))
    }
}
