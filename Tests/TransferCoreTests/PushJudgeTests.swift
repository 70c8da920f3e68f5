// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct PushJudgeTests {
    private func facts(_ status: Int?, sent: Int64 = 1000, words: String = "") -> PushFacts {
        var facts = PushFacts(sent: sent, total: 1000, status: status)
        facts.words = words
        return facts
    }

    private func problem(_ facts: PushFacts, isIdempotent: Bool = false) -> Problem? {
        guard case .failed(let problem, _) = PushJudge.judge(facts, isIdempotent: isIdempotent) else { return nil }
        return problem
    }

    @Test(arguments: [200, 201, 202, 204, 299])
    func `a yes to the whole file is a yes`(status: Int) {
        let answer = Transfer.Answer(status: status, contentType: nil)
        #expect(PushJudge.judge(self.facts(status), isIdempotent: false) == .accepted(answer))
    }

    @Test func `a yes to half of it is a failure`() {
        let problem = self.problem(self.facts(200, sent: 500))
        #expect(problem?.code == .remoteProtocol)
        #expect(problem?.detail == "The server answered 200 when it had 500 of 1000 bytes")
        #expect(problem?.retryable == false)
    }

    @Test func `a yes to a file whose length nobody knew counts once all of it was sent`() {
        var facts = PushFacts(sent: 500, total: 500, status: 200)
        #expect(
            PushJudge.judge(facts, isIdempotent: false) == .accepted(Transfer.Answer(status: 200, contentType: nil))
        )
        facts.total = nil
        #expect(self.problem(facts)?.detail == "The server answered 200 when it had 500 of who knows how many bytes")
    }

    @Test func `what never got as far as the other side waits as long as its source asks for`() {
        var facts = PushFacts(sent: 0, total: nil, problem: Problem(.remoteStatus, "The source: 503", retryable: true))
        facts.retryAfter = .seconds(7)
        guard case .failed(let problem, let wait) = PushJudge.judge(facts, isIdempotent: false) else {
            Issue.record("it did not fail")
            return
        }
        #expect(problem.retryable)
        #expect(wait == .seconds(7))
    }

    @Test(arguments: [400, 401, 403, 404, 409, 413, 415, 500, 502, 504])
    func `a no is a failure with the first words of its body, and is not tried again`(status: Int) {
        let problem = self.problem(self.facts(status, sent: 10, words: "no\n room\there"))
        #expect(problem?.remoteStatus == status)
        #expect(problem?.detail.hasSuffix(": no room here") == true)
        #expect(problem?.retryable == false)
    }

    @Test(arguments: [408, 425, 429, 503])
    func `one that wants another try gets it`(status: Int) {
        #expect(self.problem(self.facts(status))?.retryable == true)
    }

    @Test func `what does no harm twice is tried again after every error of the server`() {
        #expect(self.problem(self.facts(500), isIdempotent: true)?.retryable == true)
        #expect(self.problem(self.facts(404), isIdempotent: true)?.retryable == false)
    }

    @Test func `what broke is tried again only when the other side can't have taken it`() {
        let broken = Problem(.remoteUnreachable, "The connection broke", retryable: true)
        var facts = PushFacts(sent: 0, total: 1000, problem: broken)
        #expect(self.problem(facts)?.retryable == true)
        facts.sent = 1
        #expect(self.problem(facts)?.retryable == false)
        #expect(self.problem(facts)?.detail == "The connection broke, and it is not known what the server has taken")
        #expect(self.problem(facts, isIdempotent: true)?.retryable == true)
    }

    @Test func `only 307 and 308 send it on`() {
        var facts = self.facts(307)
        facts.location = "/b"
        #expect(PushJudge.judge(facts, isIdempotent: false) == .redirected(to: "/b"))
        facts.status = 302
        #expect(self.problem(facts)?.remoteStatus == 302)
        #expect(self.problem(self.facts(308))?.detail.hasSuffix("without saying where to") == true)
    }

    @Test(arguments: [
        ("http://h/a/b?c", "http://x/y", "http://x/y"), ("https://h:1/a/b", "//x/y", "https://x/y"),
        ("http://u:p@h/a/b?c", "/y?z", "http://u:p@h/y?z"), ("http://h/a/b?c", "y", "http://h/a/y"),
        ("http://h/a/b?c", "?d", "http://h/a/b?d"), ("http://h", "y", "http://h/y"),
    ])
    func `a redirect is read from where it was given`(base: String, location: String, target: String) throws {
        #expect(try SourceLink(base).resolved(location).url == target)
    }

    @Test(arguments: ["ftp://x/y", "file:///etc/passwd", "javascript:x"])
    func `a redirect to anything else is refused`(location: String) {
        #expect(throws: Problem.self) { try SourceLink("http://h/").resolved(location) }
    }
}
