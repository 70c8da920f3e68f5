// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct HookFactsTests {
    private func transfer(_ name: String, group: String? = nil, owner: String? = nil) -> Transfer {
        let moment = Timestamp(milliseconds: 1_764_460_800_000)
        var transfer = Transfer(
            id: transferID(1),
            kind: .download,
            name: name,
            createdAt: moment,
            group: group,
            owner: owner,
            retryOf: transferID(2)
        )
        transfer.state = .succeeded
        transfer.outcome = .succeeded
        transfer.finishedAt = moment
        return transfer
    }

    @Test func `a stored file is told with all that is known of it, and of ours only three`() {
        var transfer = self.transfer("a b.iso", group: "night")
        transfer.bytes = 1000
        transfer.total = 1000
        transfer.digest = "sha-256=:AA==:"
        transfer.source = "https://example.org/a?key=***"
        let ours = ["PATH": "/bin", "HOME": "/h", "LANG": "C.UTF-8", "LD_PRELOAD": "x", "HEADWAY_DATA": "d"]
        let facts = HookFacts.environment(of: transfer, files: ["/data/files/a b.iso"], ours: ours)
        #expect(
            facts == [
                "PATH": "/bin", "HOME": "/h", "LANG": "C.UTF-8", "HEADWAY_ID": "\(transfer.id)",
                "HEADWAY_KIND": "download", "HEADWAY_OUTCOME": "succeeded", "HEADWAY_NAME": "a b.iso",
                "HEADWAY_GROUP": "night", "HEADWAY_OWNER": "", "HEADWAY_SOURCE": "https://example.org/a?key=***",
                "HEADWAY_TARGET": "", "HEADWAY_BYTES": "1000", "HEADWAY_TOTAL": "1000",
                "HEADWAY_DIGEST": "sha-256=:AA==:", "HEADWAY_ERROR": "", "HEADWAY_ERROR_DETAIL": "",
                "HEADWAY_RETRY_OF": "\(transferID(2))", "HEADWAY_FINISHED_AT": "2025-11-30T00:00:00.000Z",
                "HEADWAY_FILE": "/data/files/a b.iso", "HEADWAY_FILES": "1",
            ]
        )
    }

    @Test func `a failure is told with its code and its words, without a file`() {
        var transfer = self.transfer("x")
        transfer.outcome = .failed
        transfer.error = Problem(.remoteStatus, "The server answered 404 Not Found")
        let facts = HookFacts.environment(of: transfer, files: [], ours: [:])
        #expect(facts["HEADWAY_ERROR"] == "remote-status")
        #expect(facts["HEADWAY_ERROR_DETAIL"] == "The server answered 404 Not Found")
        #expect(facts["HEADWAY_FILE"] == "" && facts["HEADWAY_FILES"] == "0" && facts["HEADWAY_TOTAL"] == "")
        #expect(facts["PATH"] == nil)
    }

    @Test func `what others wrote is one line without a zero byte, and not endless`() {
        let odd = "a\nHEADWAY_FILE=/etc/passwd\u{0}b\u{1B}[2J\u{85}\u{2028}\r\nz"
        var transfer = self.transfer("x", group: odd, owner: String(repeating: "中", count: 9000))
        transfer.error = Problem(.internalError, "\u{7F}")
        let facts = HookFacts.environment(of: transfer, files: [], ours: [:])
        #expect(
            facts["HEADWAY_GROUP"] == "a\u{FFFD}HEADWAY_FILE=/etc/passwd\u{FFFD}b\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}z"
        )
        #expect(facts["HEADWAY_OWNER"]?.utf8.count == 8190)
        #expect(facts["HEADWAY_ERROR_DETAIL"] == "\u{FFFD}")
        for value in facts.values {
            #expect(!value.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
        }
    }

    @Test func `the files of a form have numbers, and those beyond a hundred are only counted`() {
        let files = (1...120).map { "/f/\($0)" }
        let facts = HookFacts.environment(of: self.transfer("1"), files: files, ours: [:])
        #expect(facts["HEADWAY_FILES"] == "120")
        #expect(facts["HEADWAY_FILE"] == "/f/1" && facts["HEADWAY_FILE_1"] == nil)
        #expect(facts["HEADWAY_FILE_2"] == "/f/2" && facts["HEADWAY_FILE_100"] == "/f/100")
        #expect(facts["HEADWAY_FILE_101"] == nil)
    }
}
