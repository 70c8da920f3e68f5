// SPDX-License-Identifier: Apache-2.0
import CurlTransfers
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CurlResumeTests {
    let engine = CurlEngine()

    private func resume(_ origin: ScriptedOrigin, at offset: Int64 = 4) async -> Collector {
        await self.engine.fetch(DownloadRequest(url: origin.url("/f"), offset: offset, ifRange: "\"v1\""))
    }

    @Test func `a resume asks with the validator and gets the rest`() async throws {
        let origin = try ScriptedOrigin([
            "/f": [.head("206 Partial Content", "Content-Range: bytes 4-9/10", "Content-Length: 6"), .send("efghij")]
        ])
        let collector = await self.resume(origin)
        #expect(await collector.end() == .finished)
        #expect(collector.head?.status == 206)
        #expect(String(decoding: collector.body, as: UTF8.self) == "efghij")
        #expect(origin.requests.first?.value("range") == "bytes=4-")
        #expect(origin.requests.first?.value("if-range") == "\"v1\"")
    }

    @Test func `an offset beyond 4 GiB is exact`() async throws {
        let origin = try ScriptedOrigin([
            "/f": [
                .head("206 Partial Content", "Content-Range: bytes 5000000000-5000000001/5000000002"), .send("xy"),
                .close,
            ]
        ])
        let collector = await self.resume(origin, at: 5_000_000_000)
        #expect(await collector.end() == .finished)
        #expect(origin.requests.first?.value("range") == "bytes=5000000000-")
    }

    @Test func `without an offset no validator is sent`() async throws {
        let origin = try ScriptedOrigin(["/f": ScriptedOrigin.Step.whole([1])])
        _ = await self.resume(origin, at: 0)
        #expect(origin.requests.first?.value("if-range") == nil)
    }

    @Test(arguments: [10, 4])
    func `a whole file in answer to a resume is refused after its head`(length: Int) async throws {
        // Of a 200 that is just as long as the offset libcurl says that all is well.
        let origin = try ScriptedOrigin(["/f": ScriptedOrigin.Step.whole(pattern(length))])
        let collector = await self.resume(origin)
        #expect(await collector.end() == .refused)
        #expect(collector.head?.status == 200)
        #expect(collector.body.isEmpty)
    }

    @Test func `a 200 that claims to be a range is refused too`() async throws {
        let origin = try ScriptedOrigin([
            "/f": [.head("200 OK", "Content-Range: bytes 4-9/10", "Content-Length: 10"), .send("abcdefghij")]
        ])
        let collector = await self.resume(origin)
        #expect(await collector.end() == .refused)
        #expect(collector.body.isEmpty)
    }

    @Test func `a part that begins elsewhere is refused after its head`() async throws {
        let origin = try ScriptedOrigin([
            "/f": [.head("206 Partial Content", "Content-Range: bytes 3-9/10", "Content-Length: 7"), .send("defghij")]
        ])
        let collector = await self.resume(origin)
        #expect(await collector.end() == .refused)
        #expect(collector.head?.values("content-range") == ["bytes 3-9/10"])
        #expect(collector.body.isEmpty)
    }

    @Test func `416 is told with its head and without its page`() async throws {
        let origin = try ScriptedOrigin([
            "/f": [.head("416 Range Not Satisfiable", "Content-Range: bytes */4", "Content-Length: 4"), .send("page")]
        ])
        let collector = await self.resume(origin)
        #expect(await collector.end() == .finished)
        #expect(collector.head?.status == 416)
        #expect(collector.head?.values("content-range") == ["bytes */4"])
        #expect(collector.body.isEmpty)
    }

    @Test func `an error in answer to a resume is told with its head`() async throws {
        let origin = try ScriptedOrigin([
            "/f": [.head("503 Busy", "Retry-After: 2", "Content-Length: 4"), .send("busy")]
        ])
        let collector = await self.resume(origin)
        #expect(await collector.end() == .refused)
        #expect(collector.head?.values("retry-after") == ["2"])
        #expect(collector.body.isEmpty)
    }
}
