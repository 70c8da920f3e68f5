// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

extension TransferStory {
    /// The story as the store keeps it; nil while it has nothing to tell, which a long queue is spared.
    package var document: String? {
        guard self.attempts.count > 1 || self.moved.contains(where: { $0 > 0 }) else { return nil }
        var writer = JSONWriter()
        writer.open("{")
        writer.member("since", self.since)
        writer.member("step", self.step.wholeMilliseconds)
        writer.name("moved")
        writer.value(JSONValue.array(self.moved.map { .integer($0) }))
        writer.member("reason", self.reason?.rawValue)
        writer.name("attempts")
        writer.value(
            .array(
                self.attempts.map { attempt in
                    var members: [String: JSONValue] = [
                        "number": .integer(Int64(attempt.number)), "at": .string("\(attempt.at)"),
                    ]
                    if let reason = attempt.reason { members["reason"] = .string(reason.rawValue) }
                    return .object(members)
                }
            )
        )
        writer.close("}")
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Goes on with what an earlier run kept: the time between is one in which nothing moved.
    ///
    /// `bytes` is what of the transfer is there now. Nil when the document is not one of ours.
    package init?(_ document: String, bytes: Int64, at moment: Moment) {
        guard let json = try? JSONValue(Array(document.utf8)),
            let since = json["since"]?.string.flatMap({ Timestamp($0) }),
            let step = json["step"]?.integer, (500...(1 << 40)).contains(step),
            let moved = json["moved"]?.array?.map({ max($0.integer ?? 0, 0) }), (1...Self.places).contains(moved.count),
            let attempts = json["attempts"]?.array?.compactMap(Attempt.init), attempts.count <= Self.maximumAttempts
        else { return nil }
        // A wall clock that was put back can't make it shorter than what it holds.
        let told = Duration.milliseconds(step) * (moved.count - 1)
        let passed = Duration.milliseconds(moment.at.milliseconds - since.milliseconds)
        self.since = since
        self.step = .milliseconds(step)
        self.attempts = attempts
        self.beganAt = moment.clock - max(told, passed)
        self.observedUntil = moment.clock
        self.bytes = bytes
        self.reason = json["reason"]?.string.map(Problem.Code.init(rawValue:))
        self.moved = moved
    }
}

extension TransferStory.Attempt {
    fileprivate init?(_ json: JSONValue) {
        guard let number = json["number"]?.integer.flatMap({ Int(exactly: $0) }),
            let at = json["at"]?.string.flatMap({ Timestamp($0) })
        else { return nil }
        self.init(number: number, at: at, reason: json["reason"]?.string.map(Problem.Code.init(rawValue:)))
    }
}
