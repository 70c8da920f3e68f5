// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Answers `GET /transfers/{id}/rates`: how fast it was over its whole life, and its attempts.
    ///
    /// Of what moves, or ended lately, it is in memory; of all else in the record.
    func rates(_ transfer: TransferID, _ id: ConnectionID) -> RequestDecision {
        self.later(id) { () throws(Problem) in
            if let story = self.stories[transfer] { return Answer.json(200, Self.document(story)) }
            guard let record = try await self.record(transfer) else { throw Self.notFound(transfer) }
            let story = record.story.flatMap { TransferStory($0, bytes: 0, at: self.clock.now()) }
            return Answer.json(200, Self.document(story))
        }
        return .later
    }

    private static func document(_ story: TransferStory?) -> [UInt8] {
        var writer = JSONWriter()
        writer.open("{")
        writer.member("since", story?.since)
        writer.member("interval", (story?.step ?? TransferStory.firstStep).wholeMilliseconds)
        writer.name("rates")
        writer.raw(Array("[\((story?.rates ?? []).map(String.init).joined(separator: ","))]".utf8))
        writer.name("attempts")
        writer.raw([])
        writer.open("[")
        for attempt in story?.attempts ?? [] {
            var each = JSONWriter()
            each.open("{")
            each.member("number", attempt.number)
            each.member("at", attempt.at)
            each.member("reason", attempt.reason?.rawValue)
            each.close("}")
            writer.raw(each.bytes)
        }
        writer.close("]")
        writer.close("}")
        return writer.bytes
    }
}
