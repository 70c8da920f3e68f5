// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferCore
import TransferStorage

/// Pushes of what is fetched and kept, while it comes.
extension Coordinator {
    /// Whether its file is still coming.
    func isArriving(_ order: Command.Push) -> Bool {
        guard case .file(let file) = order.source, let job = self.jobs[file] else { return false }
        return job.isReadable
    }

    /// Sends a file on while it comes; false when by now it has ended.
    func sendArriving(_ id: TransferID, _ source: TransferID) async -> Bool {
        self.withPush(id) { $0.isOnTheWay = true }
        let isGivenUp = {
            guard case .push(let push) = self.jobs[id]?.driver else { return true }
            return push.isStopping || self.isStopping
        }
        do throws(Problem) {
            let opened = try await self.openArriving(source, until: isGivenUp)
            guard !isGivenUp() else {
                opened?.file.close()
                self.sendingEnded(id, PushFacts(sent: 0, total: nil), wasStopped: true)
                return true
            }
            guard let opened else {
                // It may have ended without having said so for good.
                await self.ended(source)
                return false
            }
            let handle = self.engine.reserve()
            let engine = self.engine
            let total = opened.transfer.total
            let file = GrowingSource(opened.file, opened.arrival, total: total) { engine.resume(handle) }
            self.drive(id) { machine, _ in
                machine.sourceKnown(total: total, name: opened.transfer.name)
                return []
            }
            self.send(id, file, as: handle)
        } catch {
            self.sendingEnded(id, PushFacts(sent: 0, total: nil, problem: error), wasStopped: false)
        }
        return true
    }
}
