// SPDX-License-Identifier: Apache-2.0

/// Where jobs wait for their turn on threads that may wait for the disk.
protocol JobQueue: Sendable {
    func submit(_ job: @escaping DiskThreads.Job)
}

extension JobQueue {
    /// Runs the work in its turn and waits for it without blocking.
    func run<Answer: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let result: Result<Answer, Failure> = await withCheckedContinuation { continuation in
            self.submit { continuation.resume(returning: Result { () throws(Failure) in try work() }) }
        }
        return try result.get()
    }
}
