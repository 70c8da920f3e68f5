// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ProgressProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The frames of a server, one connection after the other: when one breaks, the next goes on where it was.
///
/// A reader that is slow costs nothing: it gets what is newest when it comes.
public struct FrameStream: AsyncSequence, Sendable {
    /// A frame, or that the connection broke.
    public enum Event: Hashable, Sendable {
        /// A frame came.
        case frame(Frame)
        /// The connection broke, or could not be made; after so long a wait there is another try.
        case lost(Problem, retryIn: Duration)
    }

    /// What it gives.
    public typealias Element = Event
    /// What it throws: only what another try can't mend.
    public typealias Failure = Problem

    let client: HeadwayClient
    let filter: Command.Filter

    /// Begins to read; nothing is sent before the first `next()`.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(client: self.client, filter: self.filter)
    }

    /// Reads one connection after the other.
    ///
    /// It belongs to one task.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let client: HeadwayClient
        private let filter: Command.Filter
        private var connection: EventConnection?
        private var resumePoint: ResumePoint?
        private var received: ArraySlice<Frame> = []
        private var backoff = Backoff()
        private var wait: Duration?

        init(client: HeadwayClient, filter: Command.Filter) {
            self.client = client
            self.filter = filter
        }

        /// Whether the next `next()` has to wait for the network: the moment to draw what came.
        public var isCaughtUp: Bool { self.received.isEmpty }

        /// Forgets where it was: the next frames are those of a new connection, a `hello` and everything.
        public mutating func startOver() {
            self.connection = nil
            self.resumePoint = nil
            self.received = []
        }

        /// The next frame or loss; nil once the task is cancelled.
        ///
        /// - Throws: `Problem` that another try can't mend: this is no Headway, or it will not have us.
        public mutating func next() async throws(Problem) -> Event? {
            try await self.next(isolation: #isolation)
        }

        /// The next frame or loss; nil once the task is cancelled.
        ///
        /// - Throws: `Problem` that another try can't mend: this is no Headway, or it will not have us.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Problem) -> Event? {
            while !Task.isCancelled {
                if let frame = self.received.popFirst() {
                    self.note(frame)
                    return .frame(frame)
                }
                if let wait = self.wait {
                    self.wait = nil
                    try? await Task.sleep(for: wait)
                    continue
                }
                do throws(Problem) {
                    self.received = try await self.read()[...]
                } catch {
                    self.connection = nil
                    if Task.isCancelled { break }
                    guard error.retryable else { throw error }
                    let wait = self.backoff.next(random: Double.random(in: 0..<1))
                    self.wait = wait
                    return .lost(error, retryIn: wait)
                }
            }
            self.connection = nil
            return nil
        }

        private mutating func read() async throws(Problem) -> [Frame] {
            if let connection = self.connection { return try await connection.frames() }
            let connection = EventConnection(
                try self.client.events(self.filter, from: self.resumePoint),
                address: self.client.address
            )
            self.connection = connection
            return try await connection.frames()
        }

        private mutating func note(_ frame: Frame) {
            switch frame {
            case .hello(let hello):
                self.resumePoint = ResumePoint(epoch: hello.epoch, seq: hello.seq)
                self.connection?.expect(heartbeat: hello.heartbeat)
            case .ready(let seq):
                self.resumePoint?.seq = seq
                self.backoff.reset()
            case .start, .progress, .complete, .removed, .heartbeat, .ack, .unknown:
                if let seq = frame.seq { self.resumePoint?.seq = seq }
            }
        }
    }
}
