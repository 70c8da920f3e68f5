// SPDX-License-Identifier: Apache-2.0

/// The one sanitiser: whatever somebody calls a file, this is one safe name inside one folder.
///
/// One component, never empty, no control or direction-changing character, no leading dot or dash, nothing that Windows
/// keeps for devices, and short enough that " (1)" or ".part" still fit. Making a name of a name changes nothing.
package struct FileName: Sendable, Hashable {
    /// A folder's entry has at most 255 bytes; 24 are kept for what we put behind.
    package static let maximumBytes = 255 - 24
    /// What a file is called that has no name.
    package static let fallback = "download"

    /// The name.
    package let text: String

    /// Makes a safe name of any text.
    package init(_ text: String) {
        self.text = Self.safe(text) ?? Self.fallback
    }

    private init(safe text: String) {
        self.text = text
    }

    /// The name that an answer gives: Content-Disposition, else the last segment of its URL's path; nil without either.
    package static func learnt(contentDisposition: String?, url: String) -> FileName? {
        let given = contentDisposition.flatMap(ContentDisposition.fileName(in:)).flatMap(Self.safe)
        let name = given ?? (try? SourceLink(url))?.lastSegment.flatMap(Self.safe)
        return name.map { FileName(safe: $0) }
    }

    /// The name that a sender gives its file: what may be a path counts by its last component alone.
    package static func received(_ text: String?) -> FileName {
        let last = text.flatMap { $0.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last }
        return FileName(safe: last.flatMap { Self.safe(String($0)) } ?? "upload")
    }

    /// What a `Content-Disposition` calls a file, not yet safe; nil when it names none.
    package static func given(_ contentDisposition: String?) -> String? {
        contentDisposition.flatMap(ContentDisposition.fileName(in:))
    }

    /// A safe form of the text; nil when nothing of it would be left.
    private static func safe(_ text: String) -> String? {
        var name = Array(text.unicodeScalars.map { Self.isForbidden($0) ? "_" : $0 })
        // Cutting can bare a new end, which has to be looked at again; it gets shorter each time.
        while true {
            let before = name
            name = Self.trimmed(name)
            guard !name.isEmpty else { return nil }
            for index in name.indices.prefix(while: { name[$0] == "." || name[$0] == "-" }) { name[index] = "_" }
            if Self.isDevice(name) { name.insert("_", at: 0) }
            name = Self.shortened(name)
            if name == before { return Self.string(name) }
        }
    }

    /// Separators, control characters, what changes the direction of what follows, and line ends.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2F, 0x5C: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        case 0x2028, 0x2029, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        default: false
        }
    }

    /// Without blanks at both ends and dots at the end.
    private static func trimmed(_ name: [Unicode.Scalar]) -> [Unicode.Scalar] {
        let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        guard let first = name.firstIndex(where: { !isBlank($0) }),
            let last = name.lastIndex(where: { !isBlank($0) && $0 != "." }), first <= last
        else { return [] }
        return Array(name[first...last])
    }

    /// Whether Windows would open a device: `CON`, `nul.txt`, `COM1 .log`.
    private static func isDevice(_ name: [Unicode.Scalar]) -> Bool {
        let base = Self.trimmed(Array(name.prefix { $0 != "." }))
        guard base.count <= 7 else { return false }
        let word = Self.string(base).uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(word) { return true }
        guard word.hasPrefix("COM") || word.hasPrefix("LPT"), base.count == 4 else { return false }
        return "0123456789¹²³".unicodeScalars.contains(base[3])
    }

    /// At most the allowed bytes, cut at a character's border before the extension.
    private static func shortened(_ name: [Unicode.Scalar]) -> [Unicode.Scalar] {
        guard Self.byteCount(name) > Self.maximumBytes else { return name }
        let start = Self.extensionStart(name)
        let ending = Array(name[start...])
        var room = Self.maximumBytes - Self.byteCount(ending)
        var stem: [Unicode.Scalar] = []
        for character in Self.string(Array(name[..<start])) {
            guard character.utf8.count <= room else { break }
            room -= character.utf8.count
            stem.append(contentsOf: character.unicodeScalars)
        }
        if stem.isEmpty {
            // One character with hundreds of marks: cut it, for a name needs something before its extension.
            for scalar in name[..<start] {
                let size = UTF8.width(scalar)
                guard size <= room else { break }
                room -= size
                stem.append(scalar)
            }
        }
        return stem + ending
    }

    /// Where ".txt" or ".tar.gz" begins; the end, when there is nothing of the kind.
    private static func extensionStart(_ name: [Unicode.Scalar]) -> Int {
        var start = name.count
        for _ in 0..<2 {
            guard let dot = name[..<start].lastIndex(of: "."), dot > 0, start - dot > 1, start - dot <= 12,
                name[(dot + 1)..<start].allSatisfy({ $0.isASCII && $0.properties.isAlphabetic || $0.isDigit })
            else { break }
            start = dot
        }
        return start
    }

    private static func byteCount(_ name: [Unicode.Scalar]) -> Int {
        name.reduce(0) { $0 + UTF8.width($1) }
    }

    private static func string(_ name: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: name)
        return String(view)
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { self >= "0" && self <= "9" }
}
