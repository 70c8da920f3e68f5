// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct DraftTests {
    private func facts(_ headers: [String: String], body: Int64? = 10) -> UploadFacts {
        UploadFacts(method: "POST", headers: headers.map { (name: $0.key, value: $0.value) }, bodyLength: body)
    }

    private func creation(_ headers: [String: String], body: Int64? = 10, maximum: Int64? = nil) throws(Problem)
        -> DraftCreation?
    {
        try DraftCreation(self.facts(headers, body: body), maximum: maximum)
    }

    @Test func `only a request with a known version asks for a resumable upload`() throws {
        #expect(try self.creation([:]) == nil)
        #expect(try self.creation(["upload-complete": "?1"]) == nil)
        #expect(try self.creation(["upload-complete": "?1", "upload-draft-interop-version": "99"]) == nil)
        #expect(try self.creation(["upload-draft-interop-version": "6"]) == nil)
        #expect(try self.creation(["upload-complete": "yes", "upload-draft-interop-version": "6"]) == nil)
        let made = try #require(try self.creation(["upload-complete": "?1", "upload-draft-interop-version": "6"]))
        #expect(made.version == .version6 && made.isComplete && made.length == 10)
    }

    @Test func `a part without a version is refused, for it would be taken for the whole`() {
        for headers in [["upload-complete": "?0"], ["upload-incomplete": "?1"]] {
            #expect(throws: Problem.self) { try self.creation(headers) }
        }
    }

    @Test(arguments: UploadDraft.allCases)
    func `each version says in its own words whether it is whole`(version: UploadDraft) throws {
        let number = "\(version.rawValue)"
        for isComplete in [true, false] {
            let (name, value) = version.completeness(isComplete)
            let made = try #require(try self.creation([name: value, "upload-draft-interop-version": number]))
            #expect(made.isComplete == isComplete)
            #expect(made.length == (isComplete ? 10 : nil))
        }
        #expect(version.completeness(true).0 == (version == .version3 ? "upload-incomplete" : "upload-complete"))
    }

    @Test func `limits are told in the words of the version`() {
        let told = UploadDraft.allCases.map { $0.limits(maximum: 5, age: 60).map(\.1).joined() }
        #expect(told == ["", "", "max-size=5, expires=60", "max-size=5, max-age=60"])
        #expect(UploadDraft.version8.limits(maximum: nil, age: -5).map(\.1) == ["min-size=0, max-age=0"])
    }

    @Test func `lengths that contradict each other are refused`() {
        let known = ["upload-draft-interop-version": "8"]
        for (headers, body) in [
            (["upload-complete": "?1", "upload-length": "11"], 10),
            (["upload-complete": "?1", "upload-length": "9"], 10),
            (["upload-complete": "?0", "upload-length": "9"], 10),
        ] {
            let problem = #expect(throws: Problem.self) {
                try self.creation(known.merging(headers) { $1 }, body: Int64(body))
            }
            #expect(problem?.code == .lengthMismatch && problem?.status == 400)
        }
        let large = #expect(throws: Problem.self) {
            try self.creation(["upload-complete": "?1", "upload-draft-interop-version": "8"], maximum: 9)
        }
        #expect(large?.status == 413)
    }

    @Test func `an append says where it belongs and whether it is the last`() throws {
        let right = ["content-type": "application/partial-upload", "upload-offset": "5", "upload-complete": "?1"]
        let append = try DraftAppend(self.facts(right), .version8)
        #expect(append.offset == 5 && append.isComplete)
        #expect(try append.judge(offset: 5, length: nil, maximum: nil) == 15)
        #expect(try append.judge(offset: 5, length: 15, maximum: 15) == 15)
        for (offset, length, maximum, status) in [(6, nil, nil, 409), (5, 16, nil, 400), (5, nil, 14, 413)]
            as [(Int64, Int64?, Int64?, Int)]
        {
            let problem = #expect(throws: Problem.self) {
                try append.judge(offset: offset, length: length, maximum: maximum)
            }
            #expect(problem?.status == status)
        }
        for (missing, status) in [("content-type", 415), ("upload-offset", 400), ("upload-complete", 400)] {
            let problem = #expect(throws: Problem.self) {
                try DraftAppend(self.facts(right.filter { $0.key != missing }), .version8)
            }
            #expect(problem?.status == status)
        }
    }

    @Test func `in version 3 an append has no type, and is the last one unless it says otherwise`() throws {
        #expect(try DraftAppend(self.facts(["upload-offset": "0"]), .version3).isComplete)
        let more = self.facts(["upload-offset": "0", "upload-incomplete": "?1"])
        #expect(try !DraftAppend(more, .version3).isComplete)
    }

    @Test func `the largest numbers are no trap`() throws {
        let last = ["content-type": "application/partial-upload", "upload-offset": "5", "upload-complete": "?1"]
        let append = try DraftAppend(self.facts(last, body: .max), .version8)
        #expect(throws: Problem.self) { try append.judge(offset: 5, length: nil, maximum: 10) }
        let tus = ["content-type": "application/offset+octet-stream", "upload-offset": "5"]
        let tusAppend = try TusAppend(self.facts(tus, body: .max))
        #expect(throws: Problem.self) { try tusAppend.judge(offset: 5, length: nil, maximum: 10) }
        #expect(try tusAppend.judge(offset: 5, length: nil, maximum: nil) == nil)
    }
}
