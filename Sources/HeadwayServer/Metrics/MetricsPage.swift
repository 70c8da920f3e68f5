// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import WebServer

/// Everything that `/metrics` says, as it was at one moment; `text` writes it.
struct MetricsPage: Sendable {
    /// The states of what has not ended.
    static let states: [TransferState] = [.queued, .running, .paused, .retrying, .finishing]

    var metrics = Metrics()
    /// How many transfers of a kind are in which state; those that ended are counted, not kept.
    var open: [Metrics.Kind: [TransferState: UInt64]] = [:]
    var connections = ConnectionCounts()
    var webSockets = Traffic()
    var events = Traffic()
    var deliveries = Histogram.ofWork
    var roundsBegun: UInt64 = 0
    var heartbeats: UInt64 = 0
    var subscriptions = 0
    var rows = 0
    var waiting = 0
    var active = 0
    var commits = 0
    var hooksWaiting = 0
    var hooksRunning = 0
    var tick = Duration.zero
    var process: ProcessFigures?

    /// In Prometheus's text format, version 0.0.4.
    var text: String {
        var text = MetricsText()
        text.family("headway_build_info", .gauge, "What is running: always 1.")
        text.sample(1, ["version": headwayVersion])
        self.writeTransfers(&text)
        self.writeHooks(&text)
        self.writeConnections(&text)
        self.writeBroadcast(&text)
        if let process = self.process { Self.write(process, &text) }
        return text.text
    }

    private func writeTransfers(_ text: inout MetricsText) {
        text.family("headway_transfers", .gauge, "Transfers that have not ended.")
        for kind in Metrics.Kind.allCases {
            for state in Self.states {
                let count = self.open[kind]?[state] ?? 0
                text.sample(count, ["kind": kind.rawValue, "state": state.rawValue])
            }
        }
        let metrics = self.metrics
        text.counters("headway_transfers_created_total", "Transfers that were made.", by: "kind", metrics.created)
        text.family("headway_transfers_ended_total", .counter, "Transfers that ended.")
        let ended: [(Outcome, Tally<Metrics.Kind>)] = [
            (.succeeded, metrics.succeeded), (.failed, metrics.failed), (.cancelled, metrics.cancelled),
        ]
        for (outcome, tally) in ended {
            for (kind, count) in tally.all {
                text.sample(count, ["kind": kind.rawValue, "outcome": outcome.rawValue])
            }
        }
        text.counters(
            "headway_transfer_bytes_total",
            "Bytes of files that were moved; what is moved again counts again.",
            by: "kind",
            metrics.bytes
        )
        text.family("headway_admission_waiting", .gauge, "Downloads and pushes that wait for a place.")
        text.sample(UInt64(self.waiting))
        text.family("headway_admission_active", .gauge, "Downloads and pushes that have a place.")
        text.sample(UInt64(self.active))
        text.histogram(
            "headway_admission_wait_seconds",
            "How long they waited for it.",
            metrics.admission
        )
        text.histogram(
            "headway_store_wait_seconds",
            "How long new and ended transfers waited until their record was durable.",
            metrics.commits
        )
        text.family("headway_store_commits_total", .counter, "Transactions of the database.")
        text.sample(UInt64(self.commits))
    }

    private func writeHooks(_ text: inout MetricsText) {
        let runs = self.metrics.hooks
        text.counters("headway_hook_runs_total", "Runs of --on-complete, by how they went.", by: "result", runs)
        text.family("headway_hooks", .gauge, "Ends of which --on-complete is still to be told, or is told now.")
        text.sample(UInt64(self.hooksWaiting), ["state": "waiting"])
        text.sample(UInt64(self.hooksRunning), ["state": "running"])
    }

    private func writeConnections(_ text: inout MetricsText) {
        let others = self.connections.open - self.connections.webSockets - self.connections.eventStreams
        text.family("headway_connections", .gauge, "Open connections.")
        text.sample(UInt64(self.connections.webSockets), ["kind": "websocket"])
        text.sample(UInt64(self.connections.eventStreams), ["kind": "events"])
        text.sample(UInt64(max(others, 0)), ["kind": "http"])
        text.family("headway_connections_accepted_total", .counter, "Connections that were let in.")
        text.sample(UInt64(self.connections.accepted))
        text.family("headway_http_requests_total", .counter, "HTTP requests, upgrades not counted.")
        text.sample(UInt64(self.connections.requests))
        var refused = self.metrics.refused
        refused[.connections] += UInt64(self.connections.refused)
        refused[.size] += UInt64(self.connections.refusedBodies)
        text.counters("headway_refused_total", "What was turned away, by the gate that did.", by: "gate", refused)
        var dropped = self.metrics.dropped
        dropped[.stalled] += UInt64(self.connections.stalled)
        dropped[.silent] += UInt64(self.connections.silent)
        dropped[.invalid] += UInt64(self.connections.invalid)
        text.counters("headway_readers_dropped_total", "Readers that were cut off.", by: "cause", dropped)
        text.counters("headway_commands_total", "Commands of WebSockets.", by: "op", self.metrics.operations)
    }

    private func writeBroadcast(_ text: inout MetricsText) {
        let ways = [("websocket", self.webSockets), ("events", self.events)]
        text.family("headway_frames_sent_total", .counter, "Frames, once for each connection that was given them.")
        for (kind, traffic) in ways { text.sample(traffic.frames, ["kind": kind]) }
        text.family("headway_sent_bytes_total", .counter, "Bytes of frames, framing included.")
        for (kind, traffic) in ways { text.sample(traffic.bytes, ["kind": kind]) }
        text.family("headway_writes_total", .counter, "Writes of frames; one may hold many.")
        for (kind, traffic) in ways { text.sample(traffic.writes, ["kind": kind]) }
        text.family("headway_heartbeats_sent_total", .counter, "Heartbeats.")
        text.sample(self.heartbeats)
        text.family("headway_rounds_begun_total", .counter, "Rounds that took more than one write: slow readers.")
        text.sample(self.roundsBegun)
        text.family("headway_subscriptions", .gauge, "Different filters, cadences and framings that are in use.")
        text.sample(UInt64(self.subscriptions))
        text.family("headway_table_rows", .gauge, "Rows in memory, traces of deleted ones included.")
        text.sample(UInt64(self.rows))
        text.family("headway_tick_interval_seconds", .gauge, "The time between ticks now.")
        text.sample(self.tick)
        text.family("headway_tick_slowdowns_total", .counter, "How often that time was made longer.")
        text.sample(self.metrics.slowdowns)
        text.histogram(
            "headway_turn_seconds",
            "What turns took, from the first sample to the last write.",
            self.metrics.turns
        )
        text.histogram(
            "headway_delivery_latency_seconds",
            "From a turn's beginning until a connection's bytes were written.",
            self.deliveries
        )
        text.histogram("headway_loop_wait_seconds", "How late ticks came, because the loop was busy.", self.metrics.lag)
    }

    private static func write(_ process: ProcessFigures, _ text: inout MetricsText) {
        text.family("process_cpu_seconds_total", .counter, "Total user and system CPU time spent in seconds.")
        text.sample(process.cpu)
        text.family("process_resident_memory_bytes", .gauge, "Resident memory size in bytes.")
        text.sample(process.residentBytes)
        text.family("process_virtual_memory_bytes", .gauge, "Virtual memory size in bytes.")
        text.sample(process.virtualBytes)
        text.family("process_threads", .gauge, "Number of OS threads in the process.")
        text.sample(process.threads)
        text.family("process_open_fds", .gauge, "Number of open file descriptors.")
        text.sample(process.openFiles)
        text.family("process_max_fds", .gauge, "Maximum number of open file descriptors.")
        text.sample(process.maximumOpenFiles)
        text.family("process_start_time_seconds", .gauge, "Start time of the process since unix epoch in seconds.")
        text.sample(process.started)
    }
}
