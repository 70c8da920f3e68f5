// SPDX-License-Identifier: Apache-2.0

#if THREAD_SANITIZER && canImport(Glibc)
    import Glibc

    /// State that one thread at a time may touch, as the thread sanitizer can see it.
    ///
    /// A `Mutex` that has to wait does so in the standard library, which the sanitizer doesn't watch: it would take two
    /// holders of the lock for a race. A POSIX mutex it knows, with the order in which locks are taken.
    @safe package struct Locked<State: ~Copyable>: ~Copyable, @unchecked Sendable {
        // @unchecked Sendable: the state is touched by the holder of the mutex only
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let state: UnsafeMutablePointer<State>

        package init(_ state: consuming sending State) {
            unsafe self.mutex = .allocate(capacity: 1)
            unsafe self.state = .allocate(capacity: 1)
            unsafe self.state.initialize(to: state)
            let status = unsafe pthread_mutex_init(self.mutex, nil)
            precondition(status == 0, "pthread_mutex_init: \(status)")
        }

        deinit {
            unsafe self.state.deinitialize(count: 1)
            unsafe self.state.deallocate()
            unsafe pthread_mutex_destroy(self.mutex)
            unsafe self.mutex.deallocate()
        }

        package borrowing func withLock<Answer: ~Copyable, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Answer
        ) throws(Failure) -> sending Answer {
            let status = unsafe pthread_mutex_lock(self.mutex)
            precondition(status == 0, "pthread_mutex_lock: \(status)")
            defer { unsafe pthread_mutex_unlock(self.mutex) }
            return try unsafe body(&self.state.pointee)
        }
    }
#else
    package import Synchronization

    /// State that one thread at a time may touch: what everybody here uses instead of a bare `Mutex`.
    ///
    /// It is a `Mutex`, and costs what that costs. In builds for the thread sanitizer (`-Xswiftc -DTHREAD_SANITIZER`, as
    /// `scripts/test --long` makes them) it is a lock that the sanitizer can judge.
    package struct Locked<State: ~Copyable>: ~Copyable, Sendable {
        @usableFromInline let mutex: Mutex<State>

        @inlinable package init(_ state: consuming sending State) {
            self.mutex = Mutex(state)
        }

        /// Calls `body` with the state, as the only one.
        ///
        /// It is not to be called again from within.
        @inlinable package borrowing func withLock<Answer: ~Copyable, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Answer
        ) throws(Failure) -> sending Answer {
            try self.mutex.withLock(body)
        }
    }
#endif
