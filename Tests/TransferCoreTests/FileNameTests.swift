// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferCore

@Suite struct FileNameTests {
    @Test(arguments: [
        ("a.txt", "a.txt"), ("A B+1.txt", "A B+1.txt"), ("100%.txt", "100%.txt"), ("", "download"), (".", "download"),
        ("..", "download"), ("   ", "download"), ("...", "download"), ("a\0b", "a_b"), ("a\r\nb", "a__b"),
        ("/etc/x", "_etc_x"), ("..\\..\\x", "___.._x"), ("a\\b/c.ext", "a_b_c.ext"), (".bashrc", "_bashrc"),
        ("-rf", "_rf"), ("a. . ", "a"), (" a ", "a"), ("CON", "_CON"), ("con.txt", "_con.txt"),
        ("COM1 .log", "_COM1 .log"),
        ("COM¹", "_COM¹"), ("COM10", "COM10"), ("CONSOLE", "CONSOLE"), ("nul.tar.gz", "_nul.tar.gz"),
        ("x\u{202E}gpj.exe", "x_gpj.exe"), ("\u{2066}a\u{2069}", "_a_"), ("テスト 資料.pdf", "テスト 資料.pdf"),
        ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"), ("👩‍👩‍👧.png", "👩‍👩‍👧.png"),
    ])
    func `a name becomes one safe component`(given: String, expected: String) {
        #expect(FileName(given).text == expected)
    }

    @Test func `a long name is cut at a character and keeps its extension`() {
        let name = FileName(String(repeating: "中", count: 90) + ".tar.gz").text
        #expect(name == String(repeating: "中", count: 74) + ".tar.gz")
        #expect(name.utf8.count <= FileName.maximumBytes)
        let family = FileName(String(repeating: "👩‍👩‍👧", count: 40)).text
        #expect(family == String(repeating: "👩‍👩‍👧", count: 12))
        let marks = FileName("a" + String(repeating: "\u{301}", count: 500) + ".txt").text
        #expect(marks.hasSuffix(".txt"))
        #expect(marks.utf8.count <= FileName.maximumBytes)
        #expect(FileName("CON" + String(repeating: " ", count: 300) + "x").text == "_CON")
    }

    @Test(arguments: [
        ("attachment; filename=\"x.pdf\"; filename*=UTF-8''%E3%83%86%E3%82%B9%E3%83%88.pdf", "テスト.pdf"),
        ("attachment; filename*=UTF-8'ja'%E3%83%86.pdf; filename=x.pdf", "テ.pdf"),
        ("attachment; filename=\"x.pdf\"; filename*=UTF-8''%E3%8.pdf", "x.pdf"),
        ("attachment; filename=\"x.pdf\"; filename*=UTF-8''%FF.pdf", "x.pdf"),
        ("attachment; filename=\"x.pdf\"; filename*=Shift_JIS''%83e.pdf", "x.pdf"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates.txt", "£ rates.txt"),
        ("attachment; filename=plain.txt", "plain.txt"), ("ATTACHMENT; FILENAME = \"a b.txt\" ; x=y", "a b.txt"),
        ("inline; filename=\"a\\\"b;c.txt\"", "a\"b;c.txt"),
        ("attachment; filename=\"C:\\dir\\f.txt\"", "C:_dir_f.txt"),
        ("attachment; filename=\"../../x\"", "___.._x"), ("attachment; filename=\"\"", "last.bin"),
        ("attachment; filename=\"..\"", "last.bin"), ("attachment", "last.bin"), ("", "last.bin"),
        (";;;=;filename", "last.bin"), ("attachment; filename=\"unclosed.txt", "unclosed.txt"),
        ("attachment; filename=\"a.txt\"; filename=\"b.txt\"", "a.txt"), ("filename=x.txt", "last.bin"),
    ])
    func `the answer's name is found`(field: String, expected: String) {
        #expect(FileName.learnt(contentDisposition: field, url: "http://o/d/last.bin?x=/y")?.text == expected)
    }

    @Test(arguments: [
        ("http://o/A%20B%2B1.txt", "A B+1.txt"), ("http://o/100%25.txt", "100%.txt"),
        ("http://o/a%5Cb%2Fc.ext", "a_b_c.ext"),
        ("http://o/%2e%2e", nil), ("http://o/", nil), ("http://o", nil), ("http://o/d/", nil),
        ("http://o/%zz.txt", "%zz.txt"),
        ("http://o/%FF.txt", "%FF.txt"), ("http://o/a.txt#f/g", "a.txt"), ("nonsense", nil),
        ("http://o/テ.txt", "テ.txt"),
    ])
    func `the URL's name is decoded once`(url: String, expected: String?) {
        #expect(FileName.learnt(contentDisposition: nil, url: url)?.text == expected)
    }

    @Test func `whatever is given, the result is safe and stays as it is`() {
        var random = SplitMix64(seed: 20_240)
        let hostile: [Unicode.Scalar] = [
            ".", "/", "\\", " ", "\0", "-", "C", "O", "N", "1", "\u{301}", "\u{202E}", "中", "👩", "\u{200D}", "\u{A0}",
            "%",
            "\u{3000}", "\u{2069}", "ı", "ß", "\u{FEFF}", "\u{1F1E6}", "\n", "t", "x",
        ]
        for _ in 0..<20_000 {
            var view = String.UnicodeScalarView()
            let pool = Int.random(in: 1...hostile.count, using: &random)
            for _ in 0..<Int.random(in: 0...(Bool.random(using: &random) ? 12 : 400), using: &random) {
                if Int.random(in: 0..<20, using: &random) == 0 {
                    let any = UInt32.random(in: 0...0x10FFFF, using: &random)
                    view.append(Unicode.Scalar(any) ?? "x")
                } else {
                    view.append(hostile[Int.random(in: 0..<pool, using: &random)])
                }
            }
            let name = FileName(String(view)).text
            #expect(self.isSafe(name), "\(String(view).debugDescription) became \(name.debugDescription)")
            #expect(Array(FileName(name).text.utf8) == Array(name.utf8), "\(name.debugDescription) changes again")
        }
    }

    private func isSafe(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 231 && name != "." && name != ".." && !name.hasPrefix(".")
            && !name.utf8.contains(0x2F) && !name.utf8.contains(0x5C) && name.unicodeScalars.last != "."
            && name.unicodeScalars.allSatisfy { scalar in
                // Unicode's own word for what changes the direction of what follows.
                scalar.properties.generalCategory != .control && !scalar.properties.isBidiControl
                    && scalar.properties.generalCategory != .lineSeparator
                    && scalar.properties.generalCategory != .paragraphSeparator
            }
            && String(validating: name.utf8, as: UTF8.self) != nil
            && name.unicodeScalars.first?.properties.isWhitespace == false
            && name.unicodeScalars.last?.properties.isWhitespace == false
    }
}
