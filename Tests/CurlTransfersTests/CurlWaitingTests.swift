// SPDX-License-Identifier: Apache-2.0
import CurlTransfers
import Locks
import TestSupport
import Testing

/// Putting off: a receiver without room.
@Suite(.timeLimit(.minutes(10))) struct CurlWaitingTests {
    /// Takes a piece each time it is resumed, and no more.
    private final class Reluctant: DownloadReceiver {
        private struct State {
            var taken: [UInt8] = []
            var allowed = 0
            var asked = 0
            var end: DownloadEnd?
            var waiter: CheckedContinuation<Void, Never>?
        }

        private let state = Locked(State())

        var taken: [UInt8] { self.state.withLock { $0.taken } }
        var asked: Int { self.state.withLock { $0.asked } }
        var end: DownloadEnd? { self.state.withLock { $0.end } }

        func allow(_ pieces: Int) { self.state.withLock { $0.allowed += pieces } }

        /// Returns when it was asked once more than it may take, or it has ended.
        func waiting() async {
            await withCheckedContinuation { continuation in
                let isDone = self.state.withLock { state in
                    guard state.end == nil, state.allowed > 0 else { return true }
                    state.waiter = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        }

        func head(_ response: ResponseHead) -> Bool { true }

        func body(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
            let piece = unsafe [UInt8](bytes)
            let (reply, waiter) = self.state.withLock { state -> (BodyReply, CheckedContinuation<Void, Never>?) in
                state.asked += 1
                guard state.allowed > 0 else {
                    defer { state.waiter = nil }
                    return (.later, state.waiter)
                }
                state.allowed -= 1
                state.taken += piece
                return (.taken, nil)
            }
            waiter?.resume()
            return reply
        }

        func ended(_ end: DownloadEnd) {
            let waiter = self.state.withLock { state in
                state.end = end
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }

    private let engine = CurlEngine()

    @Test func `what a receiver put off comes again, whole and in order`() async throws {
        let bytes = pattern(200_000)
        let origin = try ScriptedOrigin(["/a": ScriptedOrigin.Step.whole(bytes)])
        let receiver = Reluctant()
        let handle = self.engine.reserve()
        _ = self.engine.start(DownloadRequest(url: origin.url("/a")), as: handle, receiver: receiver)
        while receiver.end == nil {
            receiver.allow(1)
            self.engine.resume(handle)
            await receiver.waiting()
        }
        #expect(receiver.end == .finished)
        #expect(receiver.taken == bytes)
    }

    @Test func `who puts off is no stall, and can be stopped meanwhile`() async throws {
        let origin = try ScriptedOrigin(["/a": ScriptedOrigin.Step.whole(pattern(100_000))])
        var request = DownloadRequest(url: origin.url("/a"))
        request.stallTimeout = .milliseconds(100)
        let receiver = Reluctant()
        let handle = self.engine.start(request, receiver: receiver)
        // Another one stalls meanwhile: as long as that takes, this one does not.
        let silent = try ScriptedOrigin(["/s": [.stall]])
        var other = DownloadRequest(url: silent.url("/s"))
        other.stallTimeout = .milliseconds(400)
        let stalled = await self.engine.fetch(other)
        guard case .stalled = await stalled.end() else {
            Issue.record("the other one did not stall")
            return
        }
        #expect(receiver.end == nil)
        #expect(receiver.asked == 1)
        self.engine.stop(handle)
        receiver.allow(1)
        await receiver.waiting()
        #expect(receiver.end == .stopped)
    }
}
