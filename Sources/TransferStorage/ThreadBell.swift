// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a thread sleeps on until another one rings; rings are counted, none is lost. Any thread may ring.
// @unchecked Sendable: a POSIX semaphore is made for use by many threads, and its address never changes.
@safe final class ThreadBell: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        unsafe self.semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        unsafe self.semaphore.initialize(to: sem_t())
        unsafe sem_init(self.semaphore, 0, 0)
    }

    deinit {
        unsafe sem_destroy(self.semaphore)
        unsafe self.semaphore.deallocate()
    }

    func ring() {
        unsafe sem_post(self.semaphore)
    }

    func wait() {
        while unsafe sem_wait(self.semaphore) != 0 {}
    }
}
