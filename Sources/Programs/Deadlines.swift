// SPDX-License-Identifier: Apache-2.0

/// When a program is asked to end, and when it has to.
///
/// Times are from its start.
struct Deadlines {
    enum Order: Equatable {
        /// SIGTERM.
        case ask
        /// SIGKILL.
        case end
    }

    /// Why it was asked; nil as long as it was not.
    private(set) var cause: ProgramEnd?
    private var askedAt: Duration
    private var patience: Duration
    private var nextCause = ProgramEnd.timedOut
    private var isEnded = false

    init(limit: Duration, patience: Duration) {
        self.askedAt = limit
        self.patience = patience
    }

    /// It is to be asked no later than that.
    mutating func stop(at time: Duration, patience: Duration) {
        self.patience = min(self.patience, patience)
        guard self.cause == nil, time < self.askedAt else { return }
        self.askedAt = time
        self.nextCause = .stopped
    }

    /// What is to be done at a time; each order once.
    mutating func due(at now: Duration) -> Order? {
        if self.cause == nil {
            guard now >= self.askedAt else { return nil }
            self.cause = self.nextCause
            self.askedAt = now
            return .ask
        }
        guard !self.isEnded, now >= self.askedAt + self.patience else { return nil }
        self.isEnded = true
        return .end
    }
}
