// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TestSupport
import Testing
import TransferCore
import WebServer

@testable import HeadwayServer

@Suite struct CommandAllowanceTests {
    @Test func `forty at once are fine, the next is too many, and twice that is a flood`() {
        var allowance = CommandAllowance(at: .zero)
        for _ in 0..<40 { #expect(allowance.take(at: .zero) == .fine) }
        for _ in 0..<40 { #expect(allowance.take(at: .zero) == .tooMany) }
        #expect(allowance.take(at: .zero) == .flood)
    }

    @Test func `twenty a second go on for ever`() {
        var allowance = CommandAllowance(at: .zero)
        for number in 1...10_000 { #expect(allowance.take(at: .milliseconds(50 * number)) == .fine) }
    }
}

@Suite struct DispositionTests {
    @Test func `a name that is not ASCII has a fallback and its true form`() {
        let header = Coordinator.disposition("テスト \"1\".pdf")
        #expect(
            header == "attachment; filename=\"___ _1_.pdf\"; filename*=UTF-8''%E3%83%86%E3%82%B9%E3%83%88%20%221%22.pdf"
        )
    }

    @Test func `nothing can end the line`() {
        #expect(!Coordinator.disposition("a\r\nSet-Cookie: x").contains("\n"))
    }
}

@Suite struct DemoPlayerTests {
    private func player(_ change: (inout Command.Demo) -> Void = { _ in }) -> DemoPlayer {
        var order = Command.Demo()
        order.seed = 7
        order.total = 1_000_000
        order.rate = 100_000
        change(&order)
        return DemoPlayer(order, seed: 0)
    }

    @Test func `it stands still while it is stopped, and goes on where it stood`() {
        var player = self.player()
        player.start(from: 0, at: .seconds(10))
        let there = player.bytes(at: .seconds(13))
        #expect(there > 0)
        player.stop(at: .seconds(13))
        #expect(player.bytes(at: .seconds(99)) == there)
        player.start(from: there, at: .seconds(100))
        #expect(player.bytes(at: .seconds(100)) == there)
        #expect(player.bytes(at: .seconds(101)) > there)
    }

    @Test func `another player finds the place by its bytes alone`() {
        var first = self.player()
        first.start(from: 0, at: .zero)
        let there = first.bytes(at: .seconds(4))
        var second = self.player()
        second.start(from: there, at: .seconds(50))
        #expect(second.bytes(at: .seconds(50)) == there)
        #expect(second.bytes(at: .seconds(52)) == first.bytes(at: .seconds(6)))
    }

    @Test func `it fails where the script says so`() {
        var player = self.player { $0.failAt = 300_000 }
        player.start(from: 0, at: .zero)
        #expect(player.end(at: .seconds(1)) == nil)
        guard case .failed(_, retryAfter: _)? = player.end(at: .seconds(20)) else {
            Issue.record("it did not fail")
            return
        }
        #expect(player.bytes(at: .seconds(20)) == 300_000)
    }
}

@Suite struct StaticFilesTests {
    private func files() throws -> StaticFiles {
        let folder = try TemporaryDirectory()
        try folder.write(Array("<p>page".utf8), to: "index.html")
        try folder.write([49], to: "a.js")
        try folder.write([120], to: ".secret")
        try folder.write([120], to: "outside")
        try folder.makeLink("link.js", to: "outside")
        return try StaticFiles(folder: folder.path)
    }

    @Test func `the root is the page, with its type, tag and policy`() throws {
        let response = try #require(try self.files().response(HTTPRequest(method: "GET", path: "/")))
        #expect(response.status == 200)
        let headers = Dictionary(response.headers, uniquingKeysWith: { first, _ in first })
        #expect(headers["content-type"] == "text/html; charset=utf-8")
        #expect(headers["content-security-policy"]?.contains("script-src 'self'") == true)
        #expect(headers["etag"] != nil)
    }

    @Test func `who has the tag gets 304, also among others and as a weak one`() throws {
        let files = try self.files()
        let first = try #require(files.response(HTTPRequest(method: "GET", path: "/a.js")))
        let tag = try #require(first.headers.first { $0.0 == "etag" }?.1)
        for header in [tag, "W/" + tag, "\"other\", " + tag, "*"] {
            let again = files.response(
                HTTPRequest(method: "GET", path: "/a.js", headers: [(name: "if-none-match", value: header)])
            )
            #expect(again?.status == 304)
        }
    }

    @Test func `hidden files and what is not there are not served`() throws {
        let files = try self.files()
        for path in ["/.secret", "/link.js", "/nothing", "/../a.js", "//a.js", ""] {
            #expect(files.response(HTTPRequest(method: "GET", path: path)) == nil)
        }
    }

    @Test func `a folder without a page says so`() throws {
        let folder = try TemporaryDirectory()
        #expect(throws: StartError.self) { try StaticFiles(folder: folder.path) }
    }
}
