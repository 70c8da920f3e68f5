// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// One kind of request, made again and again to a held server, and left each time at another await.
struct Visit {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// How a peer goes.
    enum Departure: CaseIterable {
        case reset
        case close
    }

    private struct Row: Hashable {
        var id: String
        var state: String
    }

    let held: HeldServer
    let kind: AbortedRequest
    /// A stored file, for the kind that reads one.
    let stored: String

    /// Sends the request, lets `awaits` of the coordinator's stretches pass, goes, and looks at what is left.
    ///
    /// False when the answer came before: there are fewer.
    func leave(at awaits: Int, _ departure: Departure) async throws -> Bool {
        let subject = try await self.subject()
        var client: RawClient? = try await self.connect()
        self.held.turnstile.hold()
        let request = self.kind.bytes(id: subject)
        if self.kind.isCommand {
            try client?.sendFrame(1, Array(request.utf8))
        } else {
            try client?.send(request)
        }
        let isCut = try await self.stop(at: awaits, client)
        if departure == .reset {
            client?.reset()
            try await self.eventually("the reset is noticed") {
                await !self.held.leftovers().contains { $0.hasSuffix("connections") }
            }
        }
        client = nil
        self.held.turnstile.open()
        try await self.eventually("nothing is left of it") { await self.held.leftovers().isEmpty }
        try await self.eventually("no file stays open") { self.held.openFiles().isEmpty }
        try await self.everythingIsInOrder(subject)
        return isCut
    }

    /// True when that many stretches have passed and the next is held, false when the answer has come.
    private func stop(at awaits: Int, _ client: RawClient?) async throws -> Bool {
        var passed = 0
        var heard = ""
        var isHeld = false
        try await self.eventually("the next await, or the answer, after \(passed) of \(awaits)") {
            heard += String(decoding: client?.readAvailable() ?? [], as: UTF8.self)
            if heard.contains(self.kind.answer) { return true }
            guard self.held.turnstile.holdsSomething else { return false }
            isHeld = passed == awaits
            if isHeld { return true }
            passed += 1
            self.held.turnstile.letOneThrough()
            return false
        }
        return isHeld
    }

    private func connect() async throws -> RawClient {
        let client = try RawClient(port: self.held.port)
        guard self.kind.isCommand else { return client }
        try client.send(AbortedRequest.upgrade.bytes(id: ""))
        _ = try await self.hear(client, AbortedRequest.upgrade.answer)
        return client
    }

    // MARK: - Before and after

    private func subject() async throws -> String {
        switch self.kind.subject {
        case nil: return ""
        case "stored": return self.stored
        case let state:
            let made = try await self.ask(
                AbortedRequest.post("transfers", #"{"kind":"demo","total":10000000000,"rate":1000}"#)
            )
            guard let id = made.firstMatch(of: /"id":"([0-9a-f-]{36})"/)?.output.1 else {
                throw Failure(description: made)
            }
            if state == "paused" { _ = try await self.ask(AbortedRequest.post("transfers/\(id)/pause", "")) }
            if state == "cancelled" { _ = try await self.ask(AbortedRequest.post("transfers/\(id)/cancel", "")) }
            try await self.eventually("it is \(state ?? "")") {
                try await self.list().contains(Row(id: String(id), state: state ?? ""))
            }
            return String(id)
        }
    }

    /// What was made has begun, can be ended, and is told as it is stored.
    private func everythingIsInOrder(_ subject: String) async throws {
        try await self.eventually("what was made has begun") {
            try await !self.list().contains { $0.state == "queued" }
        }
        // Again and again: what was being made when its peer left may only now be there.
        try await self.eventually("all have ended") {
            let unfinished = try await self.list().filter { !["succeeded", "failed", "cancelled"].contains($0.state) }
            for row in unfinished {
                let answer = try await self.ask(AbortedRequest.post("transfers/\(row.id)/cancel", ""))
                // One that ended in this moment can't be cancelled.
                #expect(answer.hasPrefix("HTTP/1.1 200 ") || answer.hasPrefix("HTTP/1.1 409 "), "\(answer)")
            }
            return unfinished.isEmpty
        }
        try await self.eventually("what is told is what is stored") { try await self.told() == self.list() }
        guard !subject.isEmpty, subject != self.stored else { return }
        let deletion = try await self.ask(AbortedRequest.head("DELETE", "transfers/\(subject)"))
        #expect(deletion.hasPrefix("HTTP/1.1 204 ") || deletion.hasPrefix("HTTP/1.1 404 "), "\(deletion)")
        #expect(try await self.ask(AbortedRequest.head("GET", "transfers/\(subject)")).hasPrefix("HTTP/1.1 404 "))
    }

    private func list() async throws -> Set<Row> {
        Self.rows(try await self.ask(AbortedRequest.head("GET", "transfers?limit=1000")))
    }

    /// What somebody is told who comes now.
    private func told() async throws -> Set<Row> {
        let client = try RawClient(port: self.held.port)
        try client.send(AbortedRequest.head("GET", "events"))
        return Self.rows(try await self.hear(client, AbortedRequest.events.answer))
    }

    private static func rows(_ text: String) -> Set<Row> {
        var rows: [String: Row] = [:]
        for match in text.matches(of: /"id":"([0-9a-f-]{36})"(?:,"kind":"\w+")?,"state":"(\w+)"/) {
            // A stream tells a row more than once; the last is how it is.
            rows[String(match.output.1)] = Row(id: String(match.output.1), state: String(match.output.2))
        }
        return Set(rows.values)
    }

    // MARK: - Talking

    private func ask(_ request: String) async throws -> String {
        let client = try RawClient(port: self.held.port)
        try client.send(request.replacing("Host: localhost\r\n", with: "Host: localhost\r\nConnection: close\r\n"))
        return try await self.hear(client, nil)
    }

    /// Everything until the words have come, or to the end.
    private func hear(_ client: RawClient, _ words: String?) async throws -> String {
        var heard = ""
        try await self.eventually("\(words ?? "the end")") {
            heard += String(decoding: client.readAvailable(), as: UTF8.self)
            return words.map { heard.contains($0) } ?? client.hasEnded
        }
        return heard
    }

    private func eventually(_ what: @autoclosure () -> String, _ condition: () async throws -> Bool) async throws {
        for _ in 0..<30_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw Failure(description: "never happened: \(what()); left: \(await self.held.leftovers())")
    }
}
