// SPDX-License-Identifier: Apache-2.0
import CurlTransfers
import Locks
import TestSupport
import Testing

/// Keeping back: a receiver that takes what came at once together.
@Suite(.timeLimit(.minutes(10))) struct CurlSettlingTests {
    private final class Keeper: DownloadReceiver {
        private struct State {
            var kept: [UInt8] = []
            var taken: [UInt8] = []
            var settled: [Int] = []
            var ends: [DownloadEnd] = []
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let limit: Int
        private let state = Locked(State())

        /// Wants no more when it has taken so many bytes.
        init(limit: Int = .max) { self.limit = limit }

        var taken: [UInt8] { self.state.withLock { $0.taken } }
        var settled: [Int] { self.state.withLock { $0.settled } }
        var ends: [DownloadEnd] { self.state.withLock { $0.ends } }
        var kept: [UInt8] { self.state.withLock { $0.kept } }

        func head(_ response: ResponseHead) -> Bool { true }

        func body(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
            let piece = unsafe [UInt8](bytes)
            self.state.withLock { $0.kept += piece }
            return .taken
        }

        func settle() -> Bool {
            self.state.withLock { state in
                state.settled.append(state.kept.count)
                state.taken += state.kept
                state.kept = []
                return state.taken.count <= self.limit
            }
        }

        func ended(_ end: DownloadEnd) {
            let waiter = self.state.withLock { state in
                state.ends.append(end)
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }

        func end() async {
            await withCheckedContinuation { continuation in
                let isOver = self.state.withLock { state in
                    if state.ends.isEmpty { state.waiter = continuation }
                    return !state.ends.isEmpty
                }
                if isOver { continuation.resume() }
            }
        }
    }

    private let engine = CurlEngine()

    @Test func `all is settled before the end, and nothing between pieces that came at once`() async throws {
        let bytes = pattern(300_000)
        let origin = try ScriptedOrigin(["/a": ScriptedOrigin.Step.whole(bytes)])
        let keepers = (0..<3).map { _ in Keeper() }
        for keeper in keepers { _ = self.engine.start(DownloadRequest(url: origin.url("/a")), receiver: keeper) }
        for keeper in keepers {
            await keeper.end()
            #expect(keeper.taken == bytes && keeper.kept.isEmpty)
            #expect(keeper.ends == [.finished])
            #expect(!keeper.settled.contains(0))
        }
    }

    @Test func `a receiver that wants no more when it settles is refused once`() async throws {
        let origin = try ScriptedOrigin { _ in ScriptedOrigin.Step.whole(pattern(3_000_000)) }
        let (refusing, other) = (Keeper(limit: 100_000), Keeper())
        _ = self.engine.start(DownloadRequest(url: origin.url("/a")), receiver: refusing)
        _ = self.engine.start(DownloadRequest(url: origin.url("/b")), receiver: other)
        await refusing.end()
        await other.end()
        #expect(refusing.ends == [.refused])
        #expect(other.ends == [.finished] && other.taken.count == 3_000_000)
    }
}
