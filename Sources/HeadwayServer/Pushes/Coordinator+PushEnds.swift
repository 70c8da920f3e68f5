// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore

/// What requests that send something tell, up to their ends.
extension Coordinator {
    func heard(_ event: PushSink.Event, of id: TransferID) {
        switch event {
        case .allSent(let bytes): self.drive(id) { $0.allSent(bytes, at: $1) }
        case .sentAgain: self.drive(id) { $0.sentAgain(at: $1) }
        case .ended(let facts, let answer, let wasStopped):
            if case .push(var push) = self.jobs[id]?.driver {
                push.answer = answer
                self.jobs[id]?.driver = .push(push)
            }
            self.sendingEnded(id, facts, wasStopped: wasStopped)
        }
    }

    /// A request is over, or never came to be.
    func sendingEnded(_ id: TransferID, _ facts: PushFacts, wasStopped: Bool) {
        guard case .push(var push) = self.jobs[id]?.driver else { return }
        push.handle = nil
        push.sink = nil
        push.isSending = false
        var verdict = PushJudge.judge(facts, isIdempotent: push.order.isIdempotent)
        if case .redirected(let location) = verdict {
            do throws(Problem) {
                push.target = try push.target.resolved(location)
                try self.check(push.target)
                push.redirects += 1
            } catch {
                verdict = .failed(error, retryAfter: nil)
            }
        } else {
            push.target = push.link
        }
        if push.isOnTheWay, case .failed(var problem, let wait) = verdict, !problem.detail.hasPrefix("The source: ") {
            problem.detail = "The target: " + problem.detail
            verdict = .failed(problem, retryAfter: wait)
        }
        self.jobs[id]?.driver = .push(push)
        if self.goesOnWithNextStart(id) { return self.fetchStopped(id) }
        if wasStopped { verdict = .failed(Problem(.interrupted, "It was stopped"), retryAfter: nil) }
        self.drive(id) { $0.sendingEnded(verdict, redirects: push.redirects, at: $1) }
        self.fetchStopped(id)
    }
}
