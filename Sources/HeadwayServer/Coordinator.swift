// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import CurlTransfers
import Programs
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
    /// Whose word about our own address counts.
    nonisolated let proxies: [AddressRange]
    nonisolated let files: StaticFiles

    /// The way out, which the broadcaster is given.
    let sink: SocketSink

    var broadcaster: Broadcaster
    var jobs: [TransferID: Job] = [:]
    var queue: AdmissionQueue
    /// The last place in the line that was given.
    var lastPlace: Int64 = 0
    /// How many bytes per second downloads and pushes may move together; nil = any.
    var maximumRate: Int64?
    /// Whether those of a former run are still on their way into the line: until all are there, nobody goes.
    var isRestoring = false
    /// Whether the disk has room.
    var space: DiskSpace
    /// What those have been promised that do not move yet, in bytes.
    var held: [TransferID: Int64] = [:]
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
    /// What waits for what a connection is told now; nothing where it is told nothing.
    var waiting: [ConnectionID: [() async -> Void]] = [:]
    /// Event streams whose head is on its way out.
    var streams: [ConnectionID: HTTPRequest] = [:]
    /// The bodies that bring files.
    let bodies: IncomingBodies
    /// For those bodies that are read from their sockets.
    let blocks = BlockPool()
    /// The request that brings bytes to an upload.
    var receiving: [TransferID: IncomingBody] = [:]
    /// Who waits for that request's end, to go on with the upload.
    var successors: [TransferID: [CheckedContinuation<Void, Never>]] = [:]
    /// Ids that senders chose, for as long as it is not decided whether they get them.
    var reserved: Set<TransferID> = []
    /// What those follow who read files while they arrive.
    var arrivals: [TransferID: Arrival] = [:]
    /// Sources that are sent on as they come, by their names in the line.
    var relays: [TransferID: Relay] = [:]
    /// How what moves, and what ended lately, went.
    var stories = TransferStories()
    /// Whether the server is stopping: nothing new begins.
    var isStopping = false
    /// The operator's program, if there is one.
    nonisolated let hook: Hook?
    /// Whose end it is still to be told of.
    var hooks = HookQueue()
    /// What of it runs.
    var hookRuns: [TransferID: ProgramRun] = [:]
    /// Who waits until nothing of it runs any more.
    var hookWaiter: CheckedContinuation<Void, Never>?
    /// Who waits for the end of a transfer.
    var endWaiters: [TransferID: [CheckedContinuation<Void, Never>]] = [:]
    /// Who waits until no fetch runs any more.
    var stopWaiter: CheckedContinuation<Void, Never>?
    /// What is counted of all this.
    var metrics = Metrics()
    /// How often to tick.
    var cadence: Cadence
    /// Which ticks and turns there were.
    var turns = Turns()

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
        self.access = AccessPolicy(
            hosts: Set(configuration.hosts),
            origins: Set(configuration.allowedOrigins),
            readers: Set(configuration.embedOrigins)
        )
        self.proxies = configuration.trustedProxies.compactMap { AddressRange($0) }
        self.bodies = IncomingBodies { id, reads in loop.readBody(id, reads) }
        self.files = files
        self.hook = Hook(configuration)
        self.sink = SocketSink(loop: loop, clock: clock)
        self.cadence = Cadence(tick: .milliseconds(configuration.tick))
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
}
