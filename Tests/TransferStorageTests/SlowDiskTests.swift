// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import TestSupport
import Testing
import TransferStorage

@Suite(.timeLimit(.minutes(10))) struct SlowDiskTests {
    @Test func `while a disk takes its time to sync, bytes and digests go on`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part(pattern(1000))
        let other = try await fixture.part(pattern(1000), id: "2")
        let gate = Gate()
        fixture.layer.begin { call, _ in
            if call == "sync 1.part" { gate.pass() }
            return nil
        }
        async let synced = part.sync()
        await gate.reached()
        #expect(part.append(pattern(10)) == nil)
        #expect(try await part.digest().count == 32)
        #expect(try await other.sync() == 1000)
        try await fixture.store.save(record("1"))
        #expect(await fixture.files.partSize("1") == 1010)
        gate.open()
        #expect(try await synced == 1000)
    }

    @Test func `what is cut during a sync is not called durable`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part(pattern(1000))
        let gate = Gate()
        fixture.layer.begin { call, _ in
            if call == "sync 1.part" { gate.pass() }
            return nil
        }
        async let synced = part.sync()
        await gate.reached()
        #expect(part.truncate(to: 10) == nil)
        #expect(part.append(pattern(20)) == nil)
        gate.open()
        #expect(try await synced == 30)
        #expect(fixture.layer.calls.count { $0 == "sync 1.part" } == 2)
    }
}

/// Where a disk thread is held until a test lets it go.
// @unchecked Sendable: semaphores are made for many threads.
@safe private final class Gate: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>
    private let isReached = Atomic<Bool>(false)

    init() {
        unsafe self.semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        unsafe sem_init(self.semaphore, 0, 0)
    }

    deinit { unsafe self.semaphore.deallocate() }

    /// Holds the thread; once open, it stays open.
    func pass() {
        self.isReached.store(true, ordering: .releasing)
        unsafe sem_wait(self.semaphore)
        unsafe sem_post(self.semaphore)
    }

    func open() { unsafe sem_post(self.semaphore) }

    func reached() async {
        while !self.isReached.load(ordering: .acquiring) { await Task.yield() }
    }
}
