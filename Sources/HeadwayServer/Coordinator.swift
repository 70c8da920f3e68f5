// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import CurlTransfers
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

/// Joins the rooms: machines decide, their orders go to curl and the store, their rows to everyone who is connected.
///
/// It runs on the loop's thread; whoever else has something to say posts it there. No handler holds a connection across
/// an `await`, only its id.
actor Coordinator {
    nonisolated let loop: ServiceLoop
    /// The loop, or in a test what stands before it and holds back what an `await` has ended.
    nonisolated let executor: any SerialExecutor
    nonisolated let configuration: Configuration
    nonisolated let clock: ServerClock
    nonisolated let log: Log
    nonisolated let engine: CurlEngine
    nonisolated let folder: DataFolder
    nonisolated let addresses: AddressPolicy
    nonisolated let access: AccessPolicy
    nonisolated let files: StaticFiles

    /// The way out, which the broadcaster is given.
    nonisolated let sink: SocketSink

    var broadcaster: Broadcaster
    var jobs: [TransferID: Job] = [:]
    var queue: AdmissionQueue
    /// Whether the disk has room.
    var space: DiskSpace
    /// Whether somebody looks at the disk: one that is stuck is asked once.
    var isLookingAtDisk = false
    /// Those that move bytes: they alone are sampled.
    var moving: Set<TransferID> = []
    var random = SystemRandomNumberGenerator()
    var highestBirth: Int64 = 0
    /// The names that unfinished creations hold, by idempotency key.
    var creations: [String: Creation] = [:]
    /// What each socket may still send.
    var allowances: [ConnectionID: CommandAllowance] = [:]
    /// Event streams whose head is on its way out.
    var streams: [ConnectionID: HTTPRequest] = [:]
    /// How what moves, and what ended lately, went.
    var stories = TransferStories()
    /// Whether the server is stopping: nothing new begins.
    var isStopping = false
    /// Who waits for the end of a transfer.
    var endWaiters: [TransferID: [CheckedContinuation<Void, Never>]] = [:]
    /// Who waits until no fetch runs any more.
    var stopWaiter: CheckedContinuation<Void, Never>?

    private var tickNumber: UInt64 = 0
    private var lastTurn: Duration = .seconds(-1)
    private var isTurnPlanned = false
    /// Who wants the next turn to come first.
    private var turnWaiters: [CheckedContinuation<Void, Never>] = []

    /// A turn that an event makes keeps this distance to the one before.
    private static let turnDistance = Duration.milliseconds(20)

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe self.executor.asUnownedSerialExecutor()
    }

    init(
        loop: ServiceLoop,
        executor: any SerialExecutor,
        configuration: Configuration,
        clock: ServerClock,
        log: Log,
        engine: CurlEngine,
        folder: DataFolder,
        addresses: AddressPolicy,
        files: StaticFiles,
        run: String
    ) {
        self.loop = loop
        self.executor = executor
        self.configuration = configuration
        self.clock = clock
        self.log = log
        self.engine = engine
        self.folder = folder
        self.addresses = addresses
        self.access = AccessPolicy(hosts: Set(configuration.hosts), readers: Set(configuration.embedOrigins))
        self.files = files
        self.sink = SocketSink(loop: loop)
        self.broadcaster = Broadcaster(
            Broadcaster.Configuration(
                run: run,
                server: "Headway/\(headwayVersion)",
                tick: configuration.tick,
                heartbeat: configuration.heartbeat
            )
        )
        self.space = DiskSpace(keepingFree: configuration.keptFree)
        self.queue = AdmissionQueue(
            maximumActive: configuration.maximumActive,
            maximumPerHost: configuration.maximumPerHost
        )
    }

    /// A token for connections: the broadcaster knows them by it.
    nonisolated static func reader(_ id: ConnectionID) -> ReaderID {
        ReaderID(raw: UInt64(id.generation) << 32 | UInt64(id.slot))
    }

    // MARK: - Ticks and turns

    /// Begins to tick.
    func startTicking() {
        self.planTick()
    }

    private var ticksOfASecond: UInt64 { UInt64(max(1, 1000 / self.configuration.tick)) }

    private func planTick() {
        let next = Duration.milliseconds(self.configuration.tick * Int64(self.tickNumber + 1))
        let now = self.clock.now().clock
        // A loop that was held up (a suspended machine, say) does not make up for the ticks that it missed.
        if now > next { self.tickNumber = UInt64(now / .milliseconds(self.configuration.tick)) }
        let due = Duration.milliseconds(self.configuration.tick * Int64(self.tickNumber + 1))
        self.loop.schedule(after: max(due - now, .zero)) { self.assumeIsolated { $0.tick() } }
    }

    /// Samples the counters of what is moving, and makes a turn.
    ///
    /// Nothing else samples.
    private func tick() {
        self.tickNumber += 1
        let moment = self.clock.now()
        for id in self.moving {
            self.sample(id, at: moment)
            if let transfer = self.jobs[id]?.transfer { self.stories.observe(transfer, at: moment) }
        }
        self.turn(tick: self.tickNumber, at: moment)
        if self.tickNumber % self.ticksOfASecond == 0 { Task { await self.lookAtDisk() } }
        if self.tickNumber % 64 == 0 { self.broadcaster.table.forget(clock: moment.clock) }
        self.planTick()
    }

    /// Returns when what is planned by now has been told: at once, or within 20 ms.
    func pendingTurn() async {
        guard self.broadcaster.table.isUrgent else { return }
        await withCheckedContinuation { self.turnWaiters.append($0) }
    }

    private func turn(tick: UInt64?, at moment: Moment) {
        defer {
            for waiter in self.turnWaiters { waiter.resume() }
            self.turnWaiters = []
        }
        self.lastTurn = moment.clock
        self.broadcaster.turn(at: moment.at, clock: moment.clock, tick: tick, sink: self.sink)
    }

    /// Makes a turn soon if something happened that can't wait for the tick.
    func planTurn() {
        guard self.broadcaster.table.isUrgent, !self.isTurnPlanned else { return }
        self.isTurnPlanned = true
        let wait = max(self.lastTurn + Self.turnDistance - self.clock.now().clock, .milliseconds(1))
        self.loop.schedule(after: wait) {
            self.assumeIsolated {
                $0.isTurnPlanned = false
                guard $0.broadcaster.table.isUrgent else { return }  // a tick came first
                $0.turn(tick: nil, at: $0.clock.now())
            }
        }
    }
}

/// A creation under way: who comes with the same key meanwhile waits for it.
struct Creation {
    let fingerprint: String
    let task: Task<Result<Coordinator.Created, Problem>, Never>
}

/// The version that `hello`, `--version` and our requests name.
package let headwayVersion = "0.1.0"
