// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@Suite struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("plain", "\"plain\""), ("\"\\/", "\"\\\"\\\\/\""),
        ("\u{0}\u{1F}\u{A}\u{1b}", "\"\\u0000\\u001f\\u000a\\u001b\""),
        ("é😀\u{7F}\u{2028}", "\"é😀\u{7F}\u{2028}\""), ("", "\"\""), ("</script>", "\"</script>\""),
    ])
    func `a text is escaped where JSON wants it and nowhere else`(text: String, expected: String) {
        #expect(self.written { $0.value(text) } == expected)
    }

    @Test func `numbers are written to their bounds`() {
        #expect(self.written { $0.value(Int64.min) } == "-9223372036854775808")
        #expect(self.written { $0.value(UInt64.max) } == "18446744073709551615")
        #expect(self.written { $0.value(0) } == "0")
    }

    @Test func `commas stand between members and nowhere else`() {
        let text = self.written { writer in
            writer.open("{")
            writer.member("a", Int64?.none)
            writer.member("b", true)
            writer.name("c")
            writer.open("[")
            writer.value(1)
            writer.value(2)
            writer.close("]")
            writer.name("d")
            writer.open("{")
            writer.close("}")
            writer.member("e", "x")
            writer.close("}")
        }
        #expect(text == #"{"a":null,"b":true,"c":[1,2],"d":{},"e":"x"}"#)
    }

    @Test(arguments: [
        #"{"a":[1,-2.5,null,true,{"b":[],"c":{}}],"z":"\u0001é"}"#, "[]", "{}", #"["\"",{"\n":1}]"#, "[[],[[]],{}]",
    ])
    func `what is read and written again says the same`(text: String) throws {
        let value = try json(text)
        var writer = JSONWriter()
        writer.value(value)
        #expect(try JSONValue(writer.bytes) == value)
    }
}
