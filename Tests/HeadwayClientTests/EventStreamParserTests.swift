// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadwayClient

@Suite struct EventStreamParserTests {
    private static let stream =
        "\u{FEFF}: hello\r\nid: a:1\r\ndata: {\"a\":1}\r\n\r\n\ndata:one\rdata: two\r\revent: x\ndata\n\nid: 7\n\n"
    private static let events = ["{\"a\":1}", "one\ntwo", ""]

    private func parse(_ pieces: [ArraySlice<UInt8>]) throws -> [String] {
        var parser = EventStreamParser()
        return try pieces.flatMap { try parser.take($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `events come out whole, whatever ends a line`() throws {
        #expect(try self.parse([Array(Self.stream.utf8)[...]]) == Self.events)
    }

    @Test func `a cut at any byte changes nothing`() throws {
        let bytes = Array(Self.stream.utf8)
        for cut in 0...bytes.count {
            #expect(try self.parse([bytes[..<cut], bytes[cut...]]) == Self.events, "cut at \(cut)")
        }
    }

    @Test func `bytes one by one change nothing`() throws {
        #expect(try self.parse(Array(Self.stream.utf8).map { [$0] }) == Self.events)
    }

    @Test func `an event without its empty line is not told`() throws {
        #expect(try self.parse([Array("data: half\n".utf8)[...]]).isEmpty)
    }

    @Test func `a line without an end is refused before it fills memory`() {
        var parser = EventStreamParser()
        #expect(throws: EventStreamParser.Overflow.self) {
            _ = try parser.take(repeatElement(UInt8(ascii: "a"), count: EventStreamParser.maximumEventBytes + 1))
        }
    }
}
