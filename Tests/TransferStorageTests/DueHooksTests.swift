// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferStorage

@Suite(.timeLimit(.minutes(10))) struct DueHooksTests {
    @Test func `what is due outlives a restart, in the order in which it ended`() async throws {
        let fixture = try Fixture()
        for id in ["2", "1", "3"] {
            try await fixture.store.end(record(id, state: "succeeded", finishedAt: 1), isHookDue: true)
        }
        try await fixture.store.end(record("4", finishedAt: 1))
        fixture.store.hookEnded("1")
        fixture.folder.close()
        let again = try Fixture(in: fixture.directory)
        #expect(try await again.store.dueHooks() == ["2", "3"])
        #expect(try await again.store.dueHook("3") == record("3", state: "succeeded", finishedAt: 1).document)
        #expect(try await again.store.dueHook("1") == nil)
    }

    @Test func `it is due also when the record is gone, and once`() async throws {
        let fixture = try Fixture()
        try await fixture.store.end(record("1", finishedAt: 1), isHookDue: true)
        try await fixture.store.end(record("1", finishedAt: 1), isHookDue: true)
        try await fixture.store.delete("1")
        #expect(try await fixture.store.dueHooks() == ["1"])
        try await fixture.store.forgetHooks()
        #expect(try await fixture.store.dueHooks() == [])
    }
}
