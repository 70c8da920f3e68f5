// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Answers `GET /metrics`.
    func metrics(_ id: ConnectionID) -> RequestDecision {
        let page = self.metricsPage
        self.later(id) { () throws(Problem) in
            var page = page
            page.process = await ProcessFigures.read()
            return HTTPResponse(
                status: 200,
                headers: [
                    ("content-type", "text/plain; version=0.0.4; charset=utf-8"), ("cache-control", "no-store"),
                ] + Answer.protective,
                body: .bytes(Array(page.text.utf8))
            )
        }
        return .later
    }

    private var metricsPage: MetricsPage {
        var page = MetricsPage()
        page.metrics = self.metrics
        for job in self.jobs.values {
            let transfer = job.machine.transfer
            page.open[Metrics.Kind(transfer.kind), default: [:]][transfer.state, default: 0] += 1
        }
        page.connections = self.loop.counts
        page.webSockets = self.broadcaster.webSocketTraffic
        page.events = self.broadcaster.eventTraffic
        page.deliveries = self.sink.latency
        page.roundsBegun = self.broadcaster.roundsBegun
        page.heartbeats = self.broadcaster.heartbeats
        page.subscriptions = self.broadcaster.subscriptionCount
        page.rows = self.broadcaster.table.count
        page.waiting = self.queue.waitingCount
        page.active = self.queue.activeCount
        page.commits = self.folder.store.commits
        page.hooksWaiting = self.hooks.waitingCount
        page.hooksRunning = self.hooks.runningCount
        page.tick = self.cadence.period
        return page
    }

    /// A transfer has more bytes than before.
    func count(_ kind: TransferKind, from before: Int64, to bytes: Int64) {
        guard bytes > before else { return }
        self.metrics.bytes[Metrics.Kind(kind)] += UInt64(bytes - before)
    }
}
