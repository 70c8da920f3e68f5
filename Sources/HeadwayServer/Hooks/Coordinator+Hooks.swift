// SPDX-License-Identifier: Apache-2.0

import Glibc
import Programs
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

/// The operator's program is told of each end, after everybody else and without anybody waiting for it.
///
/// That it is to be told is committed with the end, and forgotten when it has been: what a stop or a crash interrupts, or
/// had not begun, is made good after the next start.
extension Coordinator {
    /// Whether the operator's program is to be told of this end.
    func wantsHook(_ transfer: Transfer) -> Bool {
        self.hook?.wants(transfer) ?? false
    }

    /// A transfer has ended, durably; `isDue` says whether that the program is to be told was committed with it.
    func tellHook(_ id: TransferID, isDue: Bool) {
        guard isDue else {
            self.metrics.hooks[.dropped] += 1
            return self.log(
                "on-complete is not run for \(id): \(self.hooks.waitingCount) transfers wait for it already"
            )
        }
        self.hooks.enter(id)
        self.runHooks()
    }

    /// Goes on with what an earlier run left.
    func restoreHooks() async throws(StorageError) {
        let due = try await self.folder.store.dueHooks()
        guard self.hook != nil else {
            guard !due.isEmpty else { return }
            // Whoever sets it a year from now does not mean these.
            try await self.folder.store.forgetHooks()
            return self.log("on-complete was due for \(due.count) transfers and is not set any more: it is forgotten")
        }
        for id in due.compactMap({ TransferID($0) }) { self.hooks.enter(id) }
        self.runHooks()
    }

    /// Lets no further one begin, and gives those that run three seconds, and two more once they are asked to end.
    ///
    /// What is ended by that is still due, and run again after the next start.
    func stopHooks() async {
        guard !self.hookRuns.isEmpty else { return }
        for run in self.hookRuns.values { run.stop(after: .seconds(3), patience: .seconds(2)) }
        await withCheckedContinuation { self.hookWaiter = $0 }
    }

    private func runHooks() {
        while !self.isStopping, let id = self.hooks.next() { Task { await self.runHook(id) } }
    }

    private func runHook(_ id: TransferID) async {
        let document: String?
        do {
            document = try await self.folder.store.dueHook(id.description)
        } catch {
            self.log("on-complete of \(id) is put off to the next start: \(error.message)")
            self.hooks.putOff(id)
            return self.runHooks()
        }
        guard !self.isStopping else { return }
        guard let hook = self.hook, let transfer = document.flatMap({ TransferRecord.transfer(of: $0) }) else {
            self.folder.store.hookEnded(id.description)
            self.hooks.ended(id)
            return self.runHooks()
        }
        self.hookRuns[id] = ProgramRun.start(
            hook.program(for: transfer),
            heard: { [log] in log("on-complete of \(id): \($0)") },
            ended: { end in self.loop.post { self.assumeIsolated { $0.hookEnded(id, end) } } }
        )
    }

    private func hookEnded(_ id: TransferID, _ end: ProgramEnd) {
        self.hookRuns[id] = nil
        // Who stops a service or a machine ends all of its processes at once: what can't be told from that is no end.
        let isCutOff = end == .stopped || end == .signalled(SIGTERM) || (self.isStopping && end != .exited(status: 0))
        if let words = end.words {
            self.log("on-complete of \(id) \(words)" + (isCutOff ? "; it is run again after the next start" : ""))
        }
        if isCutOff {
            self.hooks.putOff(id)
        } else {
            self.metrics.hooks[end.result] += 1
            self.folder.store.hookEnded(id.description)
            self.hooks.ended(id)
        }
        if self.hookRuns.isEmpty {
            self.hookWaiter?.resume()
            self.hookWaiter = nil
        }
        self.runHooks()
    }
}

extension ProgramEnd {
    /// As what it counts.
    fileprivate var result: Metrics.HookResult {
        switch self {
        case .exited(status: 0): .ok
        case .exited, .signalled, .stopped, .notRun: .failed
        case .timedOut: .timeout
        }
    }

    /// What is said of it; nil where all is well.
    fileprivate var words: String? {
        switch self {
        case .exited(status: 0): nil
        case .exited(let status): "failed with status \(status)"
        case .signalled(let number): "was ended by signal \(number)"
        case .timedOut: "took longer than --on-complete-timeout and was ended"
        case .stopped: "was ended because the server stops"
        case .notRun(let reason): "could not be run: \(reason)"
        }
    }
}
