// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import Testing

@testable import headway

@Suite struct ArgumentsTests {
    private static let flags = [
        Flag(name: "--name", value: "NAME", help: ""), Flag(name: "--total", value: "BYTES", help: ""), .json, .url,
    ]

    private func read(
        _ words: String...,
        stops: Bool = false,
        environment: [String: String] = [:]
    ) throws(UsageError) -> Arguments {
        try Arguments(words, flags: Self.flags, stopsAtSubject: stops, environment: environment)
    }

    private func complaint(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return (error as? UsageError)?.description }
        return nil
    }

    @Test func `flags may stand anywhere, with or without an equals sign`() throws {
        let words = try self.read("a", "--name", "n", "--json", "b", "--total=5M")
        #expect(words.subjects == ["a", "b"])
        #expect(words["--name"] == "n")
        #expect(words.has("--json"))
        #expect(try words.bytes("--total") == 5_000_000)
    }

    @Test func `a command's own flags are left to it`() throws {
        #expect(try self.read("--name", "n", "curl", "--json", "x", stops: true).subjects == ["curl", "--json", "x"])
        #expect(try self.read("--", "--json", "x", stops: true).subjects == ["--json", "x"])
        #expect(try self.read("--", "curl", "--", "x", stops: true).subjects == ["curl", "--", "x"])
    }

    @Test func `what is wrong is named`() {
        #expect(self.complaint { _ = try self.read("--nmae") } == "--nmae is not a flag here; --help lists them")
        #expect(self.complaint { _ = try self.read("--name") }?.hasPrefix("--name needs a value: NAME") == true)
        #expect(self.complaint { _ = try self.read("a", "b").subject } == "\"b\" is one word too many")
        #expect(
            self.complaint { _ = try self.read("--total", "5 MB").bytes("--total") }
                == "--total: \"5 MB\" is not a number of bytes, such as 5000000 or 5M"
        )
        #expect(self.complaint { _ = try self.read("--total", "99999999T").bytes("--total") }?.contains("more") == true)
        #expect(self.complaint { _ = try self.read("--url", "ftp://x").client }?.contains("ftp://x") == true)
    }

    @Test func `the server is said by flag, by environment, or is the usual one`() throws {
        #expect(try self.read().client.base.absoluteString == "http://127.0.0.1:8080")
        let environment = ["HEADWAY_URL": "https://h/x"]
        #expect(try self.read(environment: environment).client.base.absoluteString == "https://h/x")
        #expect(try self.read("--url", "h:1", environment: environment).client.base.absoluteString == "http://h:1")
    }
}
