// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadwayServer

struct SourceCommentsTests {
    private func removed(_ text: String) -> String {
        String(decoding: SourceComments.removed(from: Array(text.utf8)), as: UTF8.self)
    }

    @Test func `comments with lines of their own go, and lines keep their numbers`() {
        let text = "// one\nlet a = 1; // stays\n  /** two\n   * three */\nlet b = 2;\n/* four */\nlet c;\n"
        #expect(self.removed(text) == "\nlet a = 1; // stays\n\n\nlet b = 2;\n\nlet c;\n")
    }

    @Test func `a license that is to stay stays`() {
        #expect(self.removed("/*! keep */\nx") == "/*! keep */\nx")
    }

    @Test(arguments: ["/* a */ code();\n", "let a = \"// no\";\n", "a /* b */\n", "x\r\ny\r\n", "", "\n\n"])
    func `what is more than a comment is as it was`(text: String) {
        #expect(self.removed(text) == text)
    }

    @Test(arguments: ["let a = `\n// text\n`;\n", "/* never\nended\n", "/* one\n two */ code();\n// three\n"])
    func `where it can't be sure, nothing goes`(text: String) {
        #expect(self.removed(text) == text)
    }
}
