// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadwayServer

struct SourceTextTests {
    private func slimmed(_ text: String) -> String {
        String(decoding: SourceText.slimmed(Array(text.utf8)), as: UTF8.self)
    }

    @Test func `comments with lines of their own and indentation go, and lines keep their numbers`() {
        let text = "// one\n  let a = 1; // stays\n  /** two\n   * three */\n\tlet b = 2;\n/* four */\nlet c;\n"
        #expect(self.slimmed(text) == "\nlet a = 1; // stays\n\n\nlet b = 2;\n\nlet c;\n")
    }

    @Test func `a license that is to stay stays`() {
        #expect(self.slimmed("/*! keep */\nx") == "/*! keep */\nx")
    }

    @Test(arguments: ["/* a */ code();\n", "let a = \"// no\";\n", "a /* b */\n", "x\ny\n", "", "\n\n"])
    func `what is more than a comment is as it was`(text: String) {
        #expect(self.slimmed(text) == text)
    }

    @Test(arguments: [
        "let a = `\n  // text\n`;\n", "  /* never\nended\n", "/* one\n two */ code();\n// three\n", "'a\\\n  b'\n",
    ])
    func `where it can't be sure, nothing goes`(text: String) {
        #expect(self.slimmed(text) == text)
    }
}
