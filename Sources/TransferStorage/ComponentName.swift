// SPDX-License-Identifier: Apache-2.0

/// The name of one thing inside one folder, and nothing that leads elsewhere.
///
/// What is a *nice* name is decided elsewhere; here only what is a possible one.
struct ComponentName {
    static let maximumBytes = 255

    let text: String

    init(_ text: String) throws(StorageError) {
        guard !text.isEmpty else { throw StorageError(.invalid, "a file needs a name") }
        guard text != ".", text != ".." else { throw StorageError(.invalid, "\"\(text)\" is not the name of a file") }
        guard !text.utf8.contains(0), !text.utf8.contains(UInt8(ascii: "/")) else {
            throw StorageError(.invalid, "a file's name can't have \"/\" or a zero byte in it")
        }
        guard text.utf8.count <= Self.maximumBytes else {
            throw StorageError(
                .invalid,
                "a file's name has at most \(Self.maximumBytes) bytes, and this one has \(text.utf8.count)"
            )
        }
        self.text = text
    }

    /// The name for the n-th file that is called the same: "report (2).tar.gz".
    ///
    /// 0 is the name itself.
    ///
    /// The stem gives way where it would get too long, at a character's border.
    func variant(_ number: Int) -> String {
        guard number > 0 else { return self.text }
        let (stem, ending) = self.parts
        let suffix = " (\(number))" + ending
        var kept = ""
        var room = Self.maximumBytes - suffix.utf8.count
        for character in stem {
            room -= character.utf8.count
            guard room >= 0 else { break }
            kept.append(character)
        }
        return kept + suffix
    }

    /// What comes before the extension, and the extension with its dot: at most 16 bytes, two for a packed archive.
    private var parts: (stem: Substring, ending: String) {
        guard let last = Self.extensionStart(self.text[...]) else { return (self.text[...], "") }
        let stem = self.text[..<last]
        guard let inner = Self.extensionStart(stem), stem[inner...].lowercased() == ".tar" else {
            return (stem, String(self.text[last...]))
        }
        return (stem[..<inner], String(self.text[inner...]))
    }

    private static func extensionStart(_ name: Substring) -> String.Index? {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex, name[dot...].utf8.count <= 16 else {
            return nil
        }
        return dot
    }
}
