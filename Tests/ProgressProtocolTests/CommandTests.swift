// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@Suite struct CommandTests {
    private func message(_ text: String) -> Command.Message? { Command.message(Array(text.utf8)) }

    private func problem(_ text: String) -> Problem? {
        guard case .failure(let problem)? = self.message(text)?.command else { return nil }
        return problem
    }

    private static let id = sampleID.description

    @Test func `a download is read with everything that belongs to it`() throws {
        let text = """
            {"op":"download","ref":"c1","url":"http://o/","name":"n","group":"g","checksum":"sha256:00","key":"k",\
            "headers":{"A":"b"},"more":1}
            """
        let message = try #require(self.message(text))
        var expected = Command.Download(url: "http://o/", name: "n", group: "g", checksum: "sha256:00", key: "k")
        expected.headers = ["A": "b"]
        #expect(message.ref == "c1")
        #expect(try message.command.get() == .download(expected))
    }

    @Test func `a demo is read with everything that belongs to it`() throws {
        let text = """
            {"op":"demo","name":"n","group":"g","total":0,"rate":1,"seed":-1,"unknownTotal":true,"failAt":3,"stallAt":2,\
            "key":"k"}
            """
        var expected = Command.Demo()
        expected.name = "n"
        expected.group = "g"
        expected.total = 0
        expected.rate = 1
        expected.seed = -1
        expected.unknownTotal = true
        expected.failAt = 3
        expected.stallAt = 2
        expected.key = "k"
        #expect(try self.message(text)?.command.get() == .demo(expected))
    }

    @Test func `a limit of all has to be said`() {
        for text in ["{}", "[]", #"{"maxRate":"x"}"#] {
            #expect(throws: Problem.self) { try Command.limits(json(text)) }
        }
    }

    @Test(arguments: Command.Action.allCases)
    func `what one may do to a transfer is read`(action: Command.Action) throws {
        let text = #"{"op":"\#(action.rawValue)","ref":"r","id":"\#(Self.id)"}"#
        #expect(try self.message(text)?.command.get() == .steer(action, sampleID))
    }

    @Test func `priority and limit are read, and written again where they are no usual ones`() throws {
        let text = #"{"kind":"download","url":"u","priority":-100,"maxRate":500}"#
        var download = Command.Download(url: "u")
        #expect(download.json["priority"] == nil && download.json["maxRate"] == nil)
        download.priority = -100
        download.maxRate = 500
        #expect(try Command.creation(json(text)) == .download(download))
        #expect(try Command.creation(download.json) == .download(download))
        var push = Command.Push(file: sampleID, to: "https://h/")
        push.priority = 3
        push.maxRate = 1
        #expect(try Command.creation(push.json) == .push(push))
        var second = push
        second.priority = 0
        second.maxRate = nil
        let pushes = Command.Pushes(push, [second])
        #expect(try Command.creation(pushes.json) == .pushes(pushes))
        for unlimited in ["null", "0"] {
            let text = #"{"kind":"download","url":"u","priority":null,"maxRate":\#(unlimited)}"#
            #expect(try Command.creation(json(text)) == .download(Command.Download(url: "u")))
        }
    }

    @Test func `a change is read from a socket and from a body`() throws {
        let id = #""id":"\#(Self.id)""#
        let both = Command.Change(priority: 5, maxRate: .bytesPerSecond(7))
        #expect(
            try self.message(#"{"op":"change","priority":5,"maxRate":7,\#(id)}"#)?.command.get()
                == .change(both, sampleID)
        )
        #expect(try Command.patch(both.json, of: sampleID) == .change(both, sampleID))
        let lifted = Command.Change(maxRate: RateLimit.none)
        #expect(try Command.patch(json(#"{"maxRate":null}"#), of: sampleID) == .change(lifted, sampleID))
        #expect(try Command.patch(lifted.json, of: sampleID) == .change(lifted, sampleID))
        #expect(try Command.patch(json(#"{"bytes":1}"#), of: sampleID) == .report(.init(bytes: 1), sampleID))
        #expect(try Command.limits(json(#"{"maxRate":1000}"#)) == .bytesPerSecond(1000))
        #expect(try Command.limits(json(#"{"maxRate":null}"#)) == RateLimit.none)
    }

    @Test(arguments: [
        (#"{"priority":101}"#, "\"priority\" has to be a whole number from -100 to 100"),
        (#"{"priority":1.5}"#, "\"priority\" has to be a whole number from -100 to 100"),
        (#"{"priority":null}"#, "there is nothing to change: \"priority\" and \"maxRate\" are missing"),
        (#"{"maxRate":-1}"#, "\"maxRate\" has to be a whole number of bytes per second, or null for no limit"),
        (#"{"maxRate":"5"}"#, "\"maxRate\" has to be a whole number of bytes per second, or null for no limit"),
        (
            #"{"priority":1,"bytes":5}"#,
            "\"bytes\" reports on a task, and can't stand beside \"priority\" or \"maxRate\""
        ), ("[]", "the body has to be a JSON object"),
    ])
    func `a change that makes no sense is named`(text: String, detail: String) {
        do {
            _ = try Command.patch(json(text), of: sampleID)
            Issue.record("it was taken")
        } catch {
            #expect((error as? Problem)?.detail == detail)
        }
    }

    @Test func `what concerns the connection is read`() throws {
        #expect(try self.message(#"{"op":"sync"}"#)?.command.get() == .sync)
        #expect(try self.message(#"{"op":"ping","ref":null}"#)?.command.get() == .ping)
        #expect(try self.message(#"{"op":"pace","interval":1000}"#)?.command.get() == .pace(interval: 1000))
        #expect(try self.message(#"{"op":"pace","interval":"x"}"#)?.command.get() == .pace(interval: nil))
        var filter = Command.Filter()
        filter.ids = [sampleID]
        filter.groups = ["a", "b"]
        filter.kinds = [.demo]
        let text = #"{"op":"watch","id":"\#(Self.id)","group":["a","b"],"kind":"demo"}"#
        #expect(try self.message(text)?.command.get() == .watch(filter))
        #expect(try self.message(#"{"op":"watch"}"#)?.command.get() == .watch(Command.Filter()))
    }

    @Test(arguments: ["", "[]", "1", "null", "\"x\"", "{", #"{"op":"ping"}x"#, "nope"])
    func `what is no JSON object is no command`(text: String) {
        #expect(self.message(text) == nil)
    }

    @Test(arguments: [
        ("{}", "\"op\" is missing"), (#"{"op":1}"#, "\"op\" has to be a string"),
        (#"{"op":"fly"}"#, "\"op\" is unknown: \"fly\""),
        (#"{"op":"download"}"#, "\"url\" is missing"), (#"{"op":"download","url":1}"#, "\"url\" has to be a string"),
        (#"{"op":"download","url":"u","headers":[]}"#, "\"headers\" has to be an object of strings"),
        (#"{"op":"download","url":"u","headers":{"A":1}}"#, "\"A\" of \"headers\" has to be a string"),
        (#"{"op":"pause"}"#, "\"id\" is missing"),
        (#"{"op":"demo","total":-1}"#, "\"total\" has to be a whole number from 0 to 1125899906842624"),
        (#"{"op":"demo","total":1.5}"#, "\"total\" has to be a whole number from 0 to 1125899906842624"),
        (#"{"op":"demo","rate":0}"#, "\"rate\" has to be a whole number from 1 to 1099511627776"),
        (#"{"op":"demo","unknownTotal":1}"#, "\"unknownTotal\" has to be true or false"),
        (#"{"op":"watch","id":"x"}"#, "\"id\" is no transfer's id: \"x\""),
        (#"{"op":"watch","group":[1]}"#, "\"group\" has to hold strings"),
        (#"{"op":"watch","kind":1}"#, "\"kind\" has to be a string"),
        (#"{"op":"ping","ref":1}"#, "\"ref\" has to be a string of at most 64 bytes"),
    ])
    func `what is wrong is named`(text: String, detail: String) {
        #expect(self.problem(text)?.detail == detail)
        #expect(self.problem(text)?.code == .invalid)
        #expect(self.problem(text)?.status == 400)
    }

    @Test func `an id that is none is not found`() {
        #expect(self.problem(#"{"op":"pause","id":"x"}"#)?.code == .notFound)
        #expect(self.problem(#"{"op":"pause","id":"x"}"#)?.status == 404)
    }

    @Test func `limits are named with both numbers`() {
        let long = String(repeating: "n", count: 1025)
        let text = #"{"op":"download","url":"u","name":"\#(long)"}"#
        #expect(self.problem(text)?.detail == "\"name\" has 1025 bytes, and 1024 are the most")
        let groups = (0..<101).map { "\"g\($0)\"" }.joined(separator: ",")
        #expect(
            self.problem(#"{"op":"watch","group":[\#(groups)]}"#)?.detail
                == "a filter names at most 100 values, not 101"
        )
        let ref = String(repeating: "r", count: 65)
        #expect(self.message(#"{"op":"ping","ref":"\#(ref)"}"#)?.ref == nil)
        #expect(self.problem(#"{"op":"ping","ref":"\#(ref)"}"#) != nil)
    }

    @Test func `a creation over HTTP is the same without op`() throws {
        let creation = try Command.creation(json(#"{"kind":"download","url":"u"}"#))
        #expect(creation == .download(Command.Download(url: "u")))
        #expect(try Command.creation(json(#"{"kind":"demo"}"#)) == .demo(Command.Demo()))
        for text in ["[]", "{}", #"{"kind":"fly"}"#, #"{"kind":1}"#] {
            #expect(throws: Problem.self) { try Command.creation(json(text)) }
        }
    }

    @Test func `several targets share what stands beside them`() throws {
        let text = """
            {"kind": "push", "from": "https://h/a", "keep": true, "group": "g", "key": "k", "field": "film",
             "headers": {"X": "1"}, "to": ["https://one/", {"url": "https://two/", "field": "photo", "body": "form"}]}
            """
        let command = try Command.creation(try JSONValue(Array(text.utf8)))
        var first = Command.Push(from: "https://h/a", to: "https://one/", keeps: true)
        first.field = "film"
        first.headers = ["X": "1"]
        first.group = "g"
        var second = first
        second.url = "https://two/"
        second.field = "photo"
        #expect(command == .pushes(Command.Pushes(first, [second], key: "k")))
    }

    @Test(arguments: [
        (#""file": "x", "from": "https://h/", "url": "https://h/""#, "exclude each other"),
        (#""url": "https://h/""#, "\"from\""),
        (#""from": "https://h/", "url": "https://h/", "to": ["https://h/"]"#, "exclude each other"),
        (#""from": "https://h/", "to": []"#, "0 targets"), (#""from": "https://h/", "to": {}"#, "list"),
        (#""from": "https://h/", "to": ["https://h/", 1]"#, "target 2"),
        (#""from": "https://h/", "to": [{"url": "https://h/", "keep": true}]"#, "beside"),
        (#""file": "01938f5e-7c1a-7b2d-9c4e-5f60718293a4", "keep": true, "url": "https://h/""#, "keep"),
    ])
    func `a push that makes no sense is refused with its reason`(members: String, words: String) throws {
        let json = try JSONValue(Array(#"{"kind": "push", \#(members)}"#.utf8))
        do {
            let command = try Command.creation(json)
            Issue.record("it was taken: \(command)")
        } catch {
            #expect(error.detail.contains(words), "\(error.detail)")
        }
    }

    @Test func `what an order is written as is read as that order`() throws {
        var push = Command.Push(from: "https://h/a", to: "https://one/", keeps: true)
        push.body = .raw
        push.method = "PUT"
        push.contentType = "text/plain"
        push.headers = ["X": "1"]
        push.isIdempotent = true
        var stored = Command.Push(file: sampleID, to: "https://one/")
        stored.fields = [Command.Push.Field(name: "a", value: "b")]
        stored.filename = "c"
        let several = Command.Pushes(push, [push])
        #expect(try Command.creation(push.json) == .push(push))
        #expect(try Command.creation(stored.json) == .push(stored))
        #expect(try Command.creation(several.json) == .pushes(several))
        let download = Command.Download(url: "https://h/", name: "n", group: "g", checksum: "sha256:00")
        #expect(try Command.creation(download.json) == .download(download))
        let work = Command.Work(name: "n", group: nil, total: 7)
        #expect(try Command.creation(work.json) == .task(work))
    }

    @Test func `a filter ORs the values of a key and ANDs the keys`() {
        var filter = Command.Filter()
        #expect(filter.matches(id: sampleID, group: nil, kind: .push))
        filter.groups = ["a", "b"]
        filter.kinds = [.demo]
        #expect(filter.matches(id: sampleID, group: "b", kind: .demo))
        #expect(!filter.matches(id: sampleID, group: nil, kind: .demo))
        #expect(!filter.matches(id: sampleID, group: "a", kind: .push))
        filter.ids = [TransferID(milliseconds: 1, random: (0, 0))]
        #expect(!filter.matches(id: sampleID, group: "a", kind: .demo))
    }
}
