// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import WebServer

extension Coordinator {
    /// Which ticks and turns there were, and what waits for the next one.
    struct Turns {
        /// The number of the last tick.
        var tick: UInt64 = 0
        /// When the last turn was, on the server's clock.
        var last: Duration = .seconds(-1)
        /// How long it took.
        var lastTook = Duration.zero
        /// Whether one will be made before the next tick.
        var isPlanned = false
        /// Who wants the next one to come first.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// Begins to tick.
    func startTicking() {
        self.planTick()
    }

    private var ticksOfASecond: UInt64 { UInt64(max(1, 1000 / self.configuration.tick)) }

    private func planTick() {
        let now = self.clock.elapsed
        var number = self.cadence.next(after: self.turns.tick)
        // A loop that was held up (a suspended machine, say) does not make up for the ticks that it missed.
        if now > self.cadence.tick * Int(number) { number = self.cadence.next(after: UInt64(now / self.cadence.tick)) }
        let due = self.cadence.tick * Int(number)
        self.loop.schedule(after: max(due - now, .zero)) { [number] in
            self.assumeIsolated { $0.tick(number, due: due) }
        }
    }

    /// Samples the counters of what is moving, and makes a turn.
    ///
    /// Nothing else samples.
    private func tick(_ number: UInt64, due: Duration) {
        self.turns.tick = number
        let moment = self.clock.now()
        self.metrics.lag.observe(moment.clock - due)
        for id in self.moving {
            self.sample(id, at: moment)
            if let transfer = self.jobs[id]?.transfer { self.stories.observe(transfer, at: moment) }
        }
        self.watchBodies(at: moment.clock)
        self.turn(tick: number, at: moment)
        // Rarer ticks pass over numbers: one of them falls into each stretch.
        if number % self.ticksOfASecond < self.cadence.stretch { Task { await self.lookAtDisk() } }
        if number % 64 < self.cadence.stretch {
            self.lookAtWaiting(at: moment)
            self.broadcaster.table.forget(clock: moment.clock)
        }
        self.follow(self.cadence.turned(self.turns.lastTook))
        self.planTick()
    }

    /// Ticks are rarer or more frequent from now on.
    private func follow(_ change: Cadence.Change?) {
        guard let change else { return }
        let isFirst = self.broadcaster.stretch == 1
        self.broadcaster.stretch = self.cadence.stretch
        let period = self.cadence.period.wholeMilliseconds
        switch change {
        case .slowed:
            self.metrics.slowdowns += 1
            guard isFirst else { return }
            self.log(
                "telling everybody takes more than a quarter of the \(self.configuration.tick) ms between two figures: "
                    + "they come every \(period) ms or less often until there is less to do"
            )
        case .quickened:
            if self.cadence.stretch == 1 { self.log("figures come every \(period) ms again") }
        }
    }

    /// Returns when what is planned by now has been told: at once, or within 20 ms.
    func pendingTurn() async {
        guard self.broadcaster.table.isUrgent else { return }
        await withCheckedContinuation { self.turns.waiters.append($0) }
    }

    private func turn(tick: UInt64?, at moment: Moment) {
        defer {
            for waiter in self.turns.waiters { waiter.resume() }
            self.turns.waiters = []
        }
        self.turns.last = moment.clock
        self.sink.turnBegins(at: moment.clock)
        self.broadcaster.turn(at: moment.at, clock: moment.clock, tick: tick, sink: self.sink)
        self.turns.lastTook = self.sink.turnEnded()
        self.metrics.turns.observe(self.turns.lastTook)
    }

    /// Makes a turn soon if something happened that can't wait for the tick.
    func planTurn() {
        guard self.broadcaster.table.isUrgent, !self.turns.isPlanned else { return }
        self.turns.isPlanned = true
        let next = self.turns.last + self.cadence.distance(after: self.turns.lastTook)
        let wait = max(next - self.clock.elapsed, .milliseconds(1))
        self.loop.schedule(after: wait) {
            self.assumeIsolated {
                $0.turns.isPlanned = false
                guard $0.broadcaster.table.isUrgent else { return }  // a tick came first
                $0.turn(tick: nil, at: $0.clock.now())
            }
        }
    }
}
