// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

extension SourceLink {
    /// The part of a link between the scheme and the path.
    struct Server {
        /// As it came, with its `@`; empty without.
        let userInfo: String
        /// Host and port as they are shown and fetched.
        let shown: String
        /// Lower-case host with the port that counts.
        let key: String

        init(_ authority: ArraySlice<UInt8>, isSecure: Bool, of text: String) throws(Problem) {
            let at = authority.lastIndex(of: UInt8(ascii: "@"))
            let userInfo = at.map { authority[...$0] } ?? []
            let server = authority[(at.map { $0 + 1 } ?? authority.startIndex)...]
            var host = server
            var port: ArraySlice<UInt8> = []
            let end = server.first == UInt8(ascii: "[") ? server.firstIndex(of: UInt8(ascii: "]")) : server.startIndex
            guard let end else {
                throw SourceLink.refusal("The link's address has no closing bracket: \(Self.quoted(text))")
            }
            if let colon = server[end...].firstIndex(of: UInt8(ascii: ":")) {
                host = server[..<colon]
                port = server[(colon + 1)...]
            }
            if host.last == UInt8(ascii: "."), host.first != UInt8(ascii: "[") { host = host.dropLast() }
            guard !host.isEmpty, !host.elementsEqual("[]".utf8) else {
                throw SourceLink.refusal("The link names no server: \(Self.quoted(text))")
            }
            let name = String(decoding: host, as: UTF8.self).lowercased()
            guard Self.isHost(name) else {
                throw SourceLink.refusal("\(Self.quoted(name)) can't be the name of a server")
            }
            guard userInfo.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}[]".utf8.contains($0) }) else {
                throw SourceLink.refusal("The user name or password in the link has to be percent-encoded")
            }
            let standard = isSecure ? 443 : 80
            var number = standard
            if !port.isEmpty {
                let digits = String(decoding: port, as: UTF8.self)
                guard port.allSatisfy(ResponseFacts.isDigit), let given = Int(digits), (1...65_535).contains(given)
                else {
                    throw SourceLink.refusal("\(Self.quoted(digits)) is no port: it has to be a number from 1 to 65535")
                }
                number = given
            }
            self.userInfo = String(decoding: userInfo, as: UTF8.self)
            self.shown = number == standard ? name : "\(name):\(number)"
            self.key = "\(name):\(number)"
        }

        /// Letters of any script, digits, dots, dashes, underscores; or an address in brackets.
        private static func isHost(_ name: String) -> Bool {
            if name.hasPrefix("[") {
                guard name.hasSuffix("]") else { return false }
                return name.dropFirst().dropLast().utf8.allSatisfy {
                    Percent.value(ofHexDigit: $0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
                }
            }
            guard name.utf8.count <= 1024 else { return false }
            return name.unicodeScalars.allSatisfy { scalar in
                guard !scalar.isASCII else {
                    return scalar.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains(scalar)
                }
                switch scalar.properties.generalCategory {
                case .nonspacingMark, .spacingMark, .decimalNumber: return true
                default: return scalar.properties.isAlphabetic
                }
            }
        }

        private static func quoted(_ text: String) -> String { "\"\(SourceLink.short(text))\"" }
    }
}
