// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct ResponseJudgeTests {
    private let now = Timestamp(milliseconds: 784_111_777_000)  // Sun, 06 Nov 1994 08:49:37 GMT
    private let date = "Sat, 05 Nov 1994 08:49:37 GMT"

    private func facts(_ status: Int, lengths: [String] = []) -> ResponseFacts {
        ResponseFacts(status: status, contentLengths: lengths, effectiveURL: "http://o/a.bin", now: self.now)
    }

    private func verdict(_ facts: ResponseFacts, offset: Int64 = 0, ifRange: String? = nil) -> HeadVerdict {
        ResponseJudge.judge(facts, asked: (offset, ifRange))
    }

    private func problem(_ verdict: HeadVerdict) -> Problem? {
        guard case .refuse(let problem, _) = verdict else { return nil }
        return problem
    }

    private func body(_ verdict: HeadVerdict) -> HeadVerdict.Body? {
        guard case .take(let body) = verdict else { return nil }
        return body
    }

    private func reason(_ verdict: HeadVerdict) -> Problem.Code? {
        guard case .restart(let reason, _) = verdict else { return nil }
        return reason
    }

    @Test func `a plain answer is the file`() {
        var facts = self.facts(200, lengths: ["1048576"])
        facts.etag = "\"v1\""
        facts.lastModified = self.date
        let expected = take(total: 1_048_576, validator: "\"v1\"", name: "a.bin")
        #expect(self.verdict(facts) == expected)
    }

    @Test func `without length and chunks the end can't be told`() {
        #expect(self.verdict(self.facts(200)) == take(total: nil, isFramed: false, validator: nil, name: "a.bin"))
    }

    @Test func `chunks beat a length`() {
        var facts = self.facts(200, lengths: ["5"])
        facts.transferEncoding = "gzip, Chunked"
        #expect(self.verdict(facts) == take(total: nil, validator: nil, name: "a.bin"))
    }

    @Test func `204 is an empty file`() {
        #expect(self.verdict(self.facts(204)) == take(total: 0, validator: nil, name: "a.bin"))
    }

    @Test(arguments: [["5", "5"], ["5, 5"], ["05"], [" 5 "]])
    func `the same length twice is one length`(lengths: [String]) {
        #expect(self.verdict(self.facts(200, lengths: lengths)) == take(total: 5, validator: nil, name: "a.bin"))
    }

    @Test(arguments: [["5", "7"], ["5,7"], ["-1"], ["+5"], ["abc"], [""], ["5,"], ["0x10"], ["1e3"], ["٣"]])
    func `a length that makes no sense is refused and named`(lengths: [String]) {
        let problem = self.problem(self.verdict(self.facts(200, lengths: lengths)))
        #expect(problem?.code == .remoteProtocol)
        #expect(problem?.retryable == false)
    }

    @Test func `a length beyond all numbers is unknown`() {
        let facts = self.facts(200, lengths: ["99999999999999999999999"])
        #expect(self.verdict(facts) == take(total: nil, isFramed: false, validator: nil, name: "a.bin"))
    }

    @Test func `a weak ETag vouches for nothing, a date does`() {
        var facts = self.facts(200, lengths: ["5"])
        facts.etag = "W/\"v1\""
        #expect(self.verdict(facts) == take(total: 5, validator: nil, name: "a.bin"))
        facts.lastModified = self.date
        #expect(self.verdict(facts) == take(total: 5, validator: self.date, name: "a.bin"))
        facts.lastModified = "yesterday"
        facts.etag = "\"a\r\nX: y\""
        #expect(self.verdict(facts) == take(total: 5, validator: nil, name: "a.bin"))
    }

    @Test(
        arguments: [
            (nil, "Sun, 06 Nov 1994 08:48:37 GMT", true), (nil, "Sun, 06 Nov 1994 08:48:38 GMT", false),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:36 GMT", true),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", false),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 09:49:37 GMT", false),
            ("today", "Sun, 06 Nov 1994 08:48:37 GMT", true),
        ] as [(String?, String, Bool)]
    )
    func `a file that may have changed twice in one second has no date to go by`(
        date: String?,
        modified: String,
        isStrong: Bool
    ) {
        var facts = self.facts(200, lengths: ["5"])
        facts.date = date
        facts.lastModified = modified
        #expect(self.body(self.verdict(facts))?.validator == (isStrong ? modified : nil))
    }

    @Test func `the rest that was asked for is taken`() {
        var facts = self.facts(206, lengths: ["500"])
        facts.contentRange = "bytes 500-999/1000"
        facts.etag = "\"v1\""
        let expected = take(from: 500, total: 1000, validator: "\"v1\"", name: "a.bin")
        #expect(self.verdict(facts, offset: 500, ifRange: "\"v1\"") == expected)
        facts.etag = nil
        #expect(self.verdict(facts, offset: 500, ifRange: "\"v1\"") == expected)
        facts.etag = "\"v2\""
        #expect(self.reason(self.verdict(facts, offset: 500, ifRange: "\"v1\"")) == .sourceChanged)
        #expect(self.reason(self.verdict(facts, offset: 500, ifRange: nil)) == .sourceChanged)
    }

    @Test func `another part than the one asked for is not put behind`() {
        var facts = self.facts(206)
        facts.contentRange = "bytes 400-999/1000"
        #expect(self.reason(self.verdict(facts, offset: 500, ifRange: "\"v1\"")) == .remoteProtocol)
        #expect(self.problem(self.verdict(facts))?.code == .remoteProtocol)
    }

    @Test(arguments: [
        nil, "", "bytes", "bytes 500-999", "bytes 999-500/1000", "bytes 500-1000/1000", "bytes */1000", "bytes -5-9/10",
        "items 500-999/1000", "bytes 500-999/1000/2", "bytes a-b/c", "bytes 99999999999999999999-9/*",
    ])
    func `a part that does not say which is refused`(range: String?) {
        var facts = self.facts(206)
        facts.contentRange = range
        #expect(self.problem(self.verdict(facts, offset: 500, ifRange: "\"v1\""))?.code == .remoteProtocol)
    }

    @Test func `a part whose length contradicts its range is refused`() {
        var facts = self.facts(206, lengths: ["499"])
        facts.contentRange = "bytes 500-999/1000"
        #expect(self.problem(self.verdict(facts, offset: 500, ifRange: "\"v1\""))?.code == .remoteProtocol)
    }

    @Test func `a part of a file whose length is not told may not be all of it`() {
        var facts = self.facts(206, lengths: ["500"])
        facts.contentRange = "bytes 500-999/*"
        let expected = take(from: 500, total: nil, end: 1000, isFramed: false, name: "a.bin")
        #expect(self.verdict(facts, offset: 500, ifRange: "\"v1\"") == expected)
    }

    @Test func `a digest of the whole file is believed wherever it comes, one of the content only of all of it`() throws
    {
        let repr = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"
        let content = "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:"
        var facts = self.facts(200, lengths: ["1000"])
        facts.contentDigests = [content]
        #expect(self.body(self.verdict(facts))?.digest?.text == content)
        facts.reprDigests = [repr]
        #expect(self.body(self.verdict(facts))?.digest?.text == repr)
        facts.status = 206
        facts.contentLengths = ["500"]
        facts.contentRange = "bytes 500-999/1000"
        #expect(self.body(self.verdict(facts, offset: 500, ifRange: "\"v1\""))?.digest?.text == repr)
        facts.reprDigests = []
        #expect(self.body(self.verdict(facts, offset: 500, ifRange: "\"v1\""))?.from == 500)
        #expect(self.body(self.verdict(facts, offset: 500, ifRange: "\"v1\""))?.digest == nil)
    }

    @Test(
        arguments: [("gzip", "gzip"), (" BR ", "br"), ("identity", nil), ("", nil), (nil, nil)] as [(String?, String?)]
    )
    func `a coding that nobody asked for is noticed`(field: String?, coding: String?) {
        var facts = self.facts(200, lengths: ["5"])
        facts.contentEncoding = field
        #expect(self.body(self.verdict(facts))?.coding == coding)
    }

    @Test func `everything instead of the rest means from 0, and says why`() {
        var facts = self.facts(200, lengths: ["1000"])
        facts.etag = "\"v1\""
        #expect(self.reason(self.verdict(facts, offset: 500, ifRange: "\"v1\"")) == .interrupted)
        facts.etag = "\"v2\""
        #expect(self.reason(self.verdict(facts, offset: 500, ifRange: "\"v1\"")) == .sourceChanged)
    }

    @Test func `416 at the file's end means that it is whole`() {
        var facts = self.facts(416)
        facts.contentRange = "bytes */1000"
        #expect(self.verdict(facts, offset: 1000, ifRange: "\"v1\"") == .alreadyWhole)
        #expect(self.reason(self.verdict(facts, offset: 900, ifRange: "\"v1\"")) == .sourceChanged)
        facts.contentRange = nil
        #expect(self.reason(self.verdict(facts, offset: 900, ifRange: "\"v1\"")) == .sourceChanged)
        #expect(self.problem(self.verdict(facts))?.code == .remoteStatus)
    }

    @Test(arguments: [
        (304, false), (401, false), (403, false), (404, false), (410, false), (408, true), (425, true), (429, true),
        (500, true), (503, true), (202, false),
    ])
    func `a status that brings no file is refused, for good or for now`(status: Int, isRetryable: Bool) {
        let problem = self.problem(self.verdict(self.facts(status)))
        #expect(problem?.code == .remoteStatus)
        #expect(problem?.retryable == isRetryable)
        #expect(problem?.remoteStatus == status)
    }

    @Test func `a refusal is said in plain words`() {
        #expect(self.problem(self.verdict(self.facts(404)))?.detail == "The server answered 404 Not Found")
        #expect(self.problem(self.verdict(self.facts(499)))?.detail == "The server answered 499")
        #expect(self.problem(self.verdict(self.facts(999)))?.code == .remoteProtocol)
    }

    @Test(
        arguments: [
            ("2", 2000), ("0", 0), ("Sun, 06 Nov 1994 08:49:47 GMT", 10_000),
            ("Sunday, 06-Nov-94 08:49:47 GMT", 10_000),
            ("Sun Nov  6 08:49:47 1994", 10_000), ("Sun, 06 Nov 1994 08:49:27 GMT", 0), ("soon", nil), ("-1", nil),
            ("", nil),
            ("Sun, 31 Feb 1994 08:49:47 GMT", nil), ("99999999999999999999", 31_536_000_000),
        ] as [(String, Int64?)]
    )
    func `Retry-After is read in both its forms`(text: String, milliseconds: Int64?) {
        var facts = self.facts(429)
        facts.retryAfter = text
        guard case .refuse(_, let retryAfter) = self.verdict(facts) else {
            Issue.record("it was not refused")
            return
        }
        #expect(retryAfter?.wholeMilliseconds == milliseconds)
    }
}
