// SPDX-License-Identifier: Apache-2.0
import CurlTransfers
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CurlEngineTests {
    private let half: [ScriptedOrigin.Step] = [.head("200 OK", "Content-Length: 9"), .send("abc"), .stall]

    @Test func `a stop in the middle gives exactly one end`() async throws {
        let origin = try ScriptedOrigin(["/": self.half])
        let engine = CurlEngine()
        let collector = Collector()
        let handle = engine.start(DownloadRequest(url: origin.url("/")), receiver: collector)
        await collector.wait { !$0.body.isEmpty }
        engine.stop(handle)
        engine.stop(handle)
        #expect(await collector.end() == .stopped)
        engine.stop(handle)
        engine.shutdown()
        #expect(collector.told.ends == [.stopped])
        #expect(!collector.told.isOutOfOrder)
    }

    @Test func `a stop right behind the start holds`() async throws {
        let origin = try ScriptedOrigin(["/": self.half])
        let engine = CurlEngine()
        let collector = Collector()
        engine.stop(engine.start(DownloadRequest(url: origin.url("/")), receiver: collector))
        #expect(await collector.end() == .stopped)
    }

    @Test func `a stop after the end changes nothing`() async throws {
        let origin = try ScriptedOrigin(["/": ScriptedOrigin.Step.whole([1])])
        let engine = CurlEngine()
        let collector = Collector()
        let handle = engine.start(DownloadRequest(url: origin.url("/")), receiver: collector)
        await collector.end()
        engine.stop(handle)
        engine.shutdown()
        #expect(collector.told.ends == [.finished])
    }

    @Test func `fifty downloads run at once and each gets its own bytes`() async throws {
        let origin = try ScriptedOrigin { request in
            let seed = UInt8(request.path.dropFirst()) ?? 0
            return ScriptedOrigin.Step.whole([UInt8](repeating: seed, count: 100_000))
        }
        let engine = CurlEngine()
        let collectors = (0..<50).map { _ in Collector() }
        for (number, collector) in collectors.enumerated() {
            _ = engine.start(DownloadRequest(url: origin.url("/\(number)")), receiver: collector)
        }
        for (number, collector) in collectors.enumerated() {
            #expect(await collector.end() == .finished)
            #expect(collector.body == [UInt8](repeating: UInt8(number), count: 100_000))
        }
    }

    @Test func `a stall of one does not hold up another`() async throws {
        let origin = try ScriptedOrigin(["/half": self.half, "/": ScriptedOrigin.Step.whole([1])])
        let engine = CurlEngine()
        let stuck = Collector()
        _ = engine.start(DownloadRequest(url: origin.url("/half")), receiver: stuck)
        await stuck.wait { !$0.body.isEmpty }
        #expect(await engine.fetch(origin.url("/")).end() == .finished)
        #expect(stuck.told.ends.isEmpty)
    }

    @Test func `a shutdown ends what runs and what is started later`() async throws {
        let origin = try ScriptedOrigin(["/": self.half])
        let engine = CurlEngine()
        let collectors = (0..<10).map { _ in Collector() }
        for collector in collectors { _ = engine.start(DownloadRequest(url: origin.url("/")), receiver: collector) }
        for collector in collectors { await collector.wait { !$0.body.isEmpty } }
        engine.shutdown()
        engine.shutdown()
        for collector in collectors { #expect(collector.told.ends == [.stopped]) }
        let late = Collector()
        _ = engine.start(DownloadRequest(url: origin.url("/")), receiver: late)
        #expect(late.told.ends == [.stopped])
    }

    @Test func `an engine that nobody holds ends its downloads`() async throws {
        let origin = try ScriptedOrigin(["/": self.half])
        let collector = Collector()
        do {
            let engine = CurlEngine()
            _ = engine.start(DownloadRequest(url: origin.url("/")), receiver: collector)
            await collector.wait { !$0.body.isEmpty }
        }
        #expect(await collector.end() == .stopped)
    }

    @Test func `connections are used again`() async throws {
        let origin = try ScriptedOrigin(["/": ScriptedOrigin.Step.whole([1])])
        let engine = CurlEngine()
        for _ in 0..<5 { #expect(await engine.fetch(origin.url("/")).end() == .finished) }
        #expect(origin.connectionCount == 1)
    }

    @Test func `starts and stops from many threads leave nothing open`() async throws {
        let origin = try ScriptedOrigin(["/": self.half])
        let engine = CurlEngine()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let collector = Collector()
                    let handle = engine.start(DownloadRequest(url: origin.url("/")), receiver: collector)
                    if number % 2 == 0 { await collector.wait { !$0.body.isEmpty } }
                    engine.stop(handle)
                    #expect(await collector.end() == .stopped)
                    #expect(collector.told.ends.count == 1)
                }
            }
        }
    }
}
