// SPDX-License-Identifier: Apache-2.0
import CurlTransfers
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CurlDownloadTests {
    let engine = CurlEngine()

    @Test func `a whole body arrives byte by byte`() async throws {
        let bytes = pattern(3_000_000)
        let origin = try ScriptedOrigin(["/a": ScriptedOrigin.Step.whole(bytes)])
        let collector = await self.engine.fetch(origin.url("/a"))
        #expect(await collector.end() == .finished)
        #expect(collector.head?.status == 200)
        #expect(collector.head?.values("content-length") == ["3000000"])
        #expect(collector.head?.effectiveURL == origin.url("/a"))
        #expect(collector.body == bytes)
        #expect(collector.told.largestPiece <= 256 * 1_024)
        #expect(!collector.told.isOutOfOrder)
    }

    @Test func `a chunked body is joined and its trailers are no part of the head`() async throws {
        let origin = try ScriptedOrigin([
            "/c": [
                .head("200 OK", "Transfer-Encoding: chunked"), .send("3\r\nabc\r\n"), .wait(.milliseconds(20)),
                .send("4\r\ndefg\r\n0\r\nX-Late: 1\r\n\r\n"),
            ]
        ])
        let collector = await self.engine.fetch(origin.url("/c"))
        #expect(await collector.end() == .finished)
        #expect(String(decoding: collector.body, as: UTF8.self) == "abcdefg")
        #expect(collector.head?.values("x-late") == [])
        #expect(collector.told.heads.count == 1)
    }

    @Test func `an empty body is finished with a head`() async throws {
        let origin = try ScriptedOrigin(["/0": ScriptedOrigin.Step.whole([]), "/204": [.head("204 No Content")]])
        for path in ["/0", "/204"] {
            let collector = await self.engine.fetch(origin.url(path))
            #expect(await collector.end() == .finished)
            #expect(collector.told.heads.count == 1)
            #expect(collector.body.isEmpty)
        }
    }

    @Test func `the request asks for the plain bytes and names us`() async throws {
        let origin = try ScriptedOrigin(["/": ScriptedOrigin.Step.whole([1])])
        let request = DownloadRequest(url: origin.url("/"), headers: [("X-Token", "t 1"), ("X-Empty", "")])
        _ = await self.engine.fetch(request)
        let seen = try #require(origin.requests.first)
        #expect(seen.method == "GET")
        #expect(seen.value("accept-encoding") == "identity")
        #expect(seen.value("user-agent") == "headway-tests")
        #expect(seen.value("x-token") == "t 1")
        #expect(seen.value("x-empty") == "")
        #expect(seen.value("range") == nil)
    }

    @Test func `a coding that comes unasked is stored as it is`() async throws {
        let bytes: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]
        let origin = try ScriptedOrigin([
            "/gz": [.head("200 OK", "Content-Encoding: gzip", "Content-Length: \(bytes.count)"), .send(bytes)]
        ])
        let collector = await self.engine.fetch(origin.url("/gz"))
        #expect(await collector.end() == .finished)
        #expect(collector.body == bytes)
    }

    @Test func `a redirect is followed and only the last head is told`() async throws {
        let origin = try ScriptedOrigin([
            "/from": [
                .head("302 Found", "Location: /to", "X-Hop: 1", "Content-Length: 4"), .send("gone"),
            ],
            "/to": [
                .head("100 Continue"), .head("103 Early Hints", "Link: x"),
                .head("200 OK", "X-Hop: 2", "Content-Length: 2"), .send("ok"),
            ],
        ])
        let collector = await self.engine.fetch(origin.url("/from"))
        #expect(await collector.end() == .finished)
        #expect(collector.told.heads.count == 1)
        #expect(collector.head?.values("x-hop") == ["2"])
        #expect(collector.head?.values("link") == [])
        #expect(collector.head?.effectiveURL == origin.url("/to"))
        #expect(collector.body == Array("ok".utf8))
    }

    @Test func `ten redirects are followed and the eleventh is one too many`() async throws {
        let origin = try ScriptedOrigin { request in
            let left = Int(request.path.dropFirst()) ?? 0
            return left == 0 ? ScriptedOrigin.Step.whole([7]) : ScriptedOrigin.Step.redirect(to: "/\(left - 1)")
        }
        #expect(await self.engine.fetch(origin.url("/10")).end() == .finished)
        let collector = await self.engine.fetch(origin.url("/11"))
        #expect(await collector.failure()?.kind == .redirectLoop)
        #expect(collector.told.heads.isEmpty)
    }

    @Test func `a 3xx without a place to go is the answer`() async throws {
        let origin = try ScriptedOrigin(["/": [.head("304 Not Modified", "ETag: x")]])
        let collector = await self.engine.fetch(origin.url("/"))
        #expect(await collector.end() == .finished)
        #expect(collector.head?.status == 304)
    }

    @Test func `blanks and letters beyond ASCII in a link are encoded`() async throws {
        let origin = try ScriptedOrigin { _ in ScriptedOrigin.Step.whole([1]) }
        let collector = await self.engine.fetch(origin.url("/a b/ü?q=x y#frag ment"))
        #expect(await collector.end() == .finished)
        #expect(origin.requests.first?.target == "/a%20b/%C3%BC?q=x%20y")
    }

    @Test func `a name and password are used and never shown`() async throws {
        let origin = try ScriptedOrigin(["/": ScriptedOrigin.Step.whole([1])])
        let collector = await self.engine.fetch("http://me:sesame@127.0.0.1:\(origin.port)/")
        #expect(await collector.end() == .finished)
        #expect(origin.requests.first?.value("authorization") == "Basic bWU6c2VzYW1l")
        #expect(collector.head?.effectiveURL == origin.url("/"))
    }

    @Test func `a password does not follow a redirect to another host`() async throws {
        let other = try ScriptedOrigin { _ in ScriptedOrigin.Step.whole([1]) }
        let origin = try ScriptedOrigin { _ in ScriptedOrigin.Step.redirect(to: other.url("/")) }
        let request = DownloadRequest(
            url: "http://me:sesame@127.0.0.1:\(origin.port)/",
            headers: [("Cookie", "id=1")]
        )
        #expect(await self.engine.fetch(request).end() == .finished)
        #expect(origin.requests.first?.value("authorization") != nil)
        #expect(other.requests.first?.value("authorization") == nil)
        #expect(other.requests.first?.value("cookie") == nil)
    }

    @Test func `header values are read as UTF-8 where they can be and else byte by byte`() async throws {
        let head = "HTTP/1.1 200 OK\r\nX-A: ü \r\nX-B: "
        let origin = try ScriptedOrigin([
            "/": [
                .send(Array(head.utf8) + [0xfc, 0x31]),
                .send("\r\nX-C:\r\nX-D: one\r\n  two\r\nX-E: a:b\r\nX-A: 2\r\nContent-Length: 0\r\n\r\n"),
            ]
        ])
        let answer = try #require(await self.engine.fetch(origin.url("/")).head)
        #expect(answer.values("x-a") == ["ü", "2"])
        #expect(answer.values("x-b") == ["ü1"])
        #expect(answer.values("x-c") == [""])
        #expect(answer.values("x-d") == ["one two"])
        #expect(answer.values("x-e") == ["a:b"])
    }

    @Test func `an error page is not taken when its head is declined`() async throws {
        let origin = try ScriptedOrigin(["/404": [.head("404 Not Found", "Content-Length: 4"), .send("page")]])
        let collector = await self.engine.fetch(origin.url("/404"), into: Collector { $0.status == 200 })
        #expect(await collector.end() == .refused)
        #expect(collector.head?.status == 404)
        #expect(collector.body.isEmpty)
    }

    @Test func `a receiver that has enough ends it`() async throws {
        let origin = try ScriptedOrigin(["/": ScriptedOrigin.Step.whole(pattern(1_000_000))])
        let collector = await self.engine.fetch(origin.url("/"), into: Collector(bodyLimit: 100_000))
        #expect(await collector.end() == .refused)
        #expect(collector.told.ends.count == 1)
        #expect(collector.body == Array(pattern(1_000_000).prefix(collector.body.count)))
    }

    @Test func `both of two contradicting lengths are seen`() async throws {
        let origin = try ScriptedOrigin([
            "/": [.head("200 OK", "Content-Length: 4", "Content-Length: 2"), .send("abcd"), .close]
        ])
        let collector = await self.engine.fetch(
            origin.url("/"),
            into: Collector { $0.values("content-length").count < 2 }
        )
        #expect(await collector.end() == .refused)
        #expect(collector.head?.values("content-length") == ["4", "2"])
    }
}
