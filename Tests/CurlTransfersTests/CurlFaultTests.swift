// SPDX-License-Identifier: Apache-2.0
import CurlTransfers
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CurlFaultTests {
    let engine = CurlEngine()

    @Test(arguments: [ScriptedOrigin.Step.close, .reset])
    func `a body cut at half is cut short with what had come`(cut: ScriptedOrigin.Step) async throws {
        let bytes = pattern(200_000)
        let origin = try ScriptedOrigin([
            "/": [
                .head("200 OK", "Content-Length: 200000"), .send(Array(bytes[..<100_000])), .wait(.milliseconds(100)),
                cut,
            ]
        ])
        let collector = await self.engine.fetch(origin.url("/"))
        #expect(await collector.failure()?.kind == .cutShort)
        #expect(collector.body == Array(bytes[..<100_000]))
    }

    @Test func `a chunked body that stops is cut short`() async throws {
        let origin = try ScriptedOrigin([
            "/": [.head("200 OK", "Transfer-Encoding: chunked"), .send("3\r\nabc\r\n"), .close]
        ])
        #expect(await self.engine.fetch(origin.url("/")).failure()?.kind == .cutShort)
    }

    @Test func `a connection that ends without an answer is cut short`() async throws {
        let origin = try ScriptedOrigin(["/": [.close]])
        let collector = await self.engine.fetch(origin.url("/"))
        #expect(await collector.failure()?.kind == .cutShort)
        #expect(collector.told.heads.isEmpty)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
    func `silence is a stall wherever it begins`(sent: String) async throws {
        let origin = try ScriptedOrigin(["/": [.send(sent), .stall]])
        let began = ContinuousClock.now
        let collector = Collector()
        let request = DownloadRequest(url: origin.url("/"), stallTimeout: .milliseconds(400))
        _ = await self.engine.fetch(request, into: collector)
        guard case .stalled(let silence) = await collector.end() else {
            Issue.record("ended with \(await collector.end())")
            return
        }
        #expect(silence >= .milliseconds(400))
        #expect(ContinuousClock.now - began < .seconds(60))
    }

    @Test func `a head that drips in is a stall`() async throws {
        let origin = try ScriptedOrigin([
            "/": [
                .send("HTTP/1.1 200 OK\r\n"),
                .drip(String(repeating: "X: y\r\n", count: 1_000), every: .milliseconds(20)),
            ]
        ])
        let collector = await self.engine.fetch(DownloadRequest(url: origin.url("/"), stallTimeout: .milliseconds(400)))
        guard case .stalled = await collector.end() else {
            Issue.record("ended with \(await collector.end())")
            return
        }
    }

    @Test func `a body that drips is no stall but may be too slow`() async throws {
        let script: [ScriptedOrigin.Step] = [
            .head("200 OK", "Content-Length: 60"), .drip(String(repeating: "x", count: 60), every: .milliseconds(20)),
        ]
        let origin = try ScriptedOrigin(["/": script])
        var request = DownloadRequest(url: origin.url("/"), stallTimeout: .milliseconds(400))
        #expect(await self.engine.fetch(request).end() == .finished)
        request.minimumRate = 1_000
        request.minimumRateWindow = .milliseconds(300)
        guard case .tooSlow(let bytes, let time) = await self.engine.fetch(request).end() else {
            Issue.record("it was not too slow")
            return
        }
        #expect(time >= .milliseconds(300))
        #expect(Double(bytes) < 1_000 * (time / .seconds(1)))
    }

    @Test(
        arguments: [
            "\u{0}\u{13}garbage no http at all\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabc",
        ]
    )
    func `what is not HTTP is a protocol failure`(sent: String) async throws {
        let origin = try ScriptedOrigin(["/": [.send(sent), .close]])
        let failure = await self.engine.fetch(origin.url("/")).failure()
        #expect(failure?.kind == .protocolFailure, "\(failure?.message ?? "")")
        #expect(failure?.message.isEmpty == false)
    }

    @Test func `what was sent too much is not the next answer, but a broken connection`() async throws {
        let origin = try ScriptedOrigin { request in
            request.path == "/more" ? ScriptedOrigin.Step.whole([7]) : [.send("too much\r\n\r\n"), .close]
        }
        #expect(await self.engine.fetch(origin.url("/more")).end() == .finished)
        let failure = await self.engine.fetch(origin.url("/next")).failure()
        #expect(failure?.kind == .cutShort)
        #expect(failure?.message == "the connection still held bytes of an answer before")
        #expect(origin.connectionCount == 1)
        #expect(await self.engine.fetch(origin.url("/next")).failure()?.kind == .protocolFailure)
    }

    @Test func `a failure behind a redirect says by which way it came there`() async throws {
        let origin = try ScriptedOrigin { request in
            let next = request.path == "/first" ? "/second?key=s3cr3t" : "http://127.0.0.1:1/"
            return ScriptedOrigin.Step.redirect(to: next)
        }
        let failure = await self.engine.fetch(origin.url("/first?key=s3cr3t")).failure()
        #expect(failure?.kind == .unreachable)
        #expect(failure?.redirects == [origin.url("/first?key=s3cr3t"), origin.url("/second?key=s3cr3t")])
    }

    @Test func `a head beyond 64 KiB is a protocol failure`() async throws {
        let line = "X-A: " + String(repeating: "y", count: 1_000) + "\r\n"
        let origin = try ScriptedOrigin([
            "/": [.send("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 2_000)), .close]
        ])
        let failure = await self.engine.fetch(origin.url("/")).failure()
        #expect(failure?.kind == .protocolFailure)
        #expect(failure?.message.contains("65536") == true)
    }

    @Test func `a port where nobody listens is unreachable`() async throws {
        let origin = try ScriptedOrigin([:])
        let url = origin.url("/")
        origin.stop()
        // The port is free a moment later, when the accepting thread has gone.
        var kind: CurlFailure.Kind?
        repeat { kind = await self.engine.fetch(url).failure()?.kind } while kind == .cutShort
        #expect(kind == .unreachable)
    }

    @Test func `a name that is not there is told as such`() async throws {
        let failure = await self.engine.fetch("http://headway.invalid/").failure()
        #expect(failure?.kind == .nameNotFound)
        #expect(failure?.message.contains("headway.invalid") == true)
    }

    @Test func `a peer that does not speak TLS fails in the handshake`() async throws {
        let origin = try ScriptedOrigin(greeting: [.send("220 mail ready\r\n"), .close]) { _ in [] }
        #expect(await self.engine.fetch("https://127.0.0.1:\(origin.port)/").failure()?.kind == .handshake)
    }

    @Test func `a peer that is silent in the TLS handshake times out`() async throws {
        let origin = try ScriptedOrigin(greeting: [.stall]) { _ in [] }
        let request = DownloadRequest(url: "https://127.0.0.1:\(origin.port)/", stallTimeout: .milliseconds(400))
        #expect(await self.engine.fetch(request).failure()?.kind == .timedOut)
    }

    @Test(arguments: ["file:///etc/hostname", "gopher://127.0.0.1/x", "ftp://127.0.0.1/x", "dict://127.0.0.1/x"])
    func `only http and https are fetched, first and by redirect`(url: String) async throws {
        let origin = try ScriptedOrigin { _ in ScriptedOrigin.Step.redirect(to: url) }
        #expect(await self.engine.fetch(url).failure()?.kind == .unsupportedProtocol)
        let collector = await self.engine.fetch(origin.url("/"))
        #expect(await collector.failure()?.kind == .unsupportedProtocol)
        #expect(collector.told.heads.isEmpty)
    }

    @Test(arguments: [
        ("X", "a\r\nY: b"), ("X\r\nY", "b"), ("X", "a\u{0}b"), ("", "v"), ("X Y", "v"), ("Range", "bytes=1-"),
    ])
    func `headers that would break the request are refused before anything is sent`(header: (String, String))
        async throws
    {
        let origin = try ScriptedOrigin { _ in ScriptedOrigin.Step.whole([1]) }
        let request = DownloadRequest(url: origin.url("/"), headers: [(header.0, header.1)])
        #expect(DownloadRequest.refusal(ofHeader: header.0, value: header.1) != nil)
        #expect(await self.engine.fetch(request).failure()?.kind == .other)
        #expect(origin.connectionCount == 0)
    }

    @Test func `control bytes in a link or a validator are refused`() async throws {
        #expect(await self.engine.fetch("http://127.0.0.1/a\r\nX: y").failure()?.kind == .other)
        let request = DownloadRequest(url: "http://127.0.0.1/", offset: 1, ifRange: "\"\n\"")
        #expect(await self.engine.fetch(request).failure()?.kind == .other)
    }
}
