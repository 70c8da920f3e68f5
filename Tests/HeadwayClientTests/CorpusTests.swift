// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@testable import HeadwayClient

@Suite struct CorpusTests {
    /// Members that the corpus holds to stand for what is to come.
    private static let unknownMembers: Set<String> = ["mood"]

    @Test func `every known frame is written as it was read`() throws {
        for line in try Corpus.lines() {
            let frame = try #require(try FrameDecoder.frames(line).first)
            if case .unknown = frame { continue }
            guard case .object(var members) = try JSONValue(line) else {
                Issue.record("a line is no object")
                return
            }
            for name in Self.unknownMembers { members[name] = nil }
            #expect(try JSONValue(FrameEncoder.encode(frame)) == .object(members))
        }
    }

    @Test func `the corpus has every type of frame and every state`() throws {
        var types: Set<String> = []
        var states: Set<String> = []
        for line in try Corpus.lines() {
            let json = try JSONValue(line)
            types.insert(json["type"]?.string ?? "")
            states.insert(json["state"]?.string ?? "")
        }
        #expect(
            types.isSuperset(of: [
                "hello", "start", "progress", "complete", "removed", "ready", "heartbeat", "ack", "weather",
            ])
        )
        #expect(
            states.isSuperset(of: [
                "queued", "running", "paused", "retrying", "finishing", "succeeded", "failed", "cancelled",
                "dematerialising",
            ])
        )
    }

    @Test func `folding the corpus leaves what its last frames say`() throws {
        var fold = ProgressFold()
        for frame in try Corpus.frames() { _ = fold.apply(frame) }
        #expect(
            fold.transfers.map(\.state.rawValue) == [
                "succeeded", "cancelled", "succeeded", "failed", "succeeded", "succeeded", "dematerialising",
            ]
        )
        #expect(fold.resumePoint == ResumePoint(epoch: "m4x9.1f", seq: 1 << 53 - 1))
    }
}
