// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@Suite struct JSONReaderTests {
    @Test(
        arguments: [
            ("null", .null), (" true ", .bool(true)), ("false", .bool(false)), ("0", .integer(0)), ("-0", .integer(0)),
            ("-17", .integer(-17)), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("0.5", .number(0.5)), ("1e3", .number(1000)),
            ("1E+2", .number(100)), ("1.5e-3", .number(0.0015)), ("\"\"", .string("")), ("[]", .array([])),
            ("{}", .object([:])),
            ("[1,[2]]", .array([.integer(1), .array([.integer(2)])])), ("\t\n\r [ ] ", .array([])),
            ("{\"a\":1,\"a\":2}", .object(["a": .integer(2)])), ("{\"\":null}", .object(["": .null])),
        ] as [(String, JSONValue)]
    )
    func `what is JSON is read`(text: String, expected: JSONValue) throws {
        #expect(try json(text) == expected)
    }

    @Test(arguments: [
        ("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\u{8}\u{C}\n\r\t"), ("\\u0041\\u00e9\\u00E9", "Aéé"),
        ("\\uD83D\\uDE00", "😀"),
        ("\\ud83d\\ude00x", "😀x"), ("\\u0000", "\0"), ("\\uFFFF", "\u{FFFF}"), ("é中👩‍👧", "é中👩‍👧"), ("\u{7F}", "\u{7F}"),
        ("\\uDBFF\\uDFFF", "\u{10FFFF}"),
    ])
    func `texts and their escapes are read`(inner: String, expected: String) throws {
        #expect(try json("\"\(inner)\"").string == expected)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "NaN", "Infinity", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1.e1",
        "0x1", "1 2",
        "[1,]", "[,1]", "[1", "[1 2]", "]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
        "{\"a\":1 \"b\":2}",
        "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\n\"", "\"\t\"", "'a'", "\"\\uD800\"", "\"\\uDC00\"",
        "\"\\uD800\\u0041\"", "\"\\uD800x\"", "\"\\uD800\\uD800\"", "1e400", "[1]x", "/**/1", "\u{FEFF}1", "{\"a\":1}}",
        "\"\\u+123\"", "--1", "1-", "[\"a\",\n4\n,1,", "{\"a\":\"a\" 123}", "\u{A0}1",
    ])
    func `what is not JSON is refused`(text: String) {
        #expect(throws: JSONError.self) { try json(text) }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0xFF], [0x22, 0x00, 0x22], [0x5B, 0x80, 0x5D],
        ] as [[UInt8]]
    )
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue(bytes) }
    }

    @Test func `depth is bounded, and what is too deep does no harm`() {
        let deep = { (count: Int) in String(repeating: "[", count: count) + String(repeating: "]", count: count) }
        #expect(throws: Never.self) { try json(deep(32)) }
        #expect(throws: JSONError.self) { try json(deep(33)) }
        #expect(throws: JSONError.self) { try json(String(repeating: "{\"a\":", count: 100_000)) }
        #expect(throws: Never.self) { try json("[" + Array(repeating: "[]", count: 1000).joined(separator: ",") + "]") }
    }

    @Test func `every text that is cut off is refused`() throws {
        let whole = FrameEncoder.encode(.start(seq: 1, at: sampleTime, fullTransfer()))
        #expect(throws: Never.self) { try JSONValue(whole) }
        for length in 0..<whole.count {
            #expect(throws: JSONError.self) { try JSONValue(Array(whole[..<length])) }
        }
    }

    @Test func `changed bytes never trap`() {
        let whole = FrameEncoder.encode(.start(seq: 1, at: sampleTime, fullTransfer()))
        var state: UInt64 = 88
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0...next(3) { bytes[next(bytes.count)] = UInt8(next(256)) }
            _ = try? FrameDecoder.frames(bytes)
            _ = Command.message(bytes)
        }
    }

    @Test func `an error says where and why`() {
        let error = #expect(throws: JSONError.self) { try json("[1,x]") }
        #expect(error?.offset == 3)
        #expect(error?.description == "not JSON at byte 3: no value begins like this")
    }
}
