// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import CurlTransfers
import Foundation
import ProgressProtocol
import TransferStorage
import WebServer

/// The whole server: what is started in order, and stopped in the reverse of it.
package final class Server: Sendable {
    /// Where the page is.
    package let address: String

    let coordinator: Coordinator
    private let loop: ServiceLoop
    private let engine: CurlEngine
    private let folder: DataFolder

    /// Opens the data folder, goes on with what an earlier run left, and lets connections in.
    ///
    /// - Throws: `StartError`: one line for the person who started it.
    package convenience init(_ configuration: Configuration, log: Log) async throws(StartError) {
        try await self.init(configuration, log: log, executor: { $0 })
    }

    /// The same, with a coordinator that runs on what `executor` makes of the loop.
    init(
        _ configuration: Configuration,
        log: Log,
        executor: (ServiceLoop) -> any SerialExecutor
    ) async throws(StartError) {
        let files = try StaticFiles(folder: configuration.webFolder, embedders: configuration.embedOrigins)
        if let file = configuration.certificateAuthorities { try Self.checkAuthorities(file) }
        if let program = configuration.onComplete { try Hook.check(program) }
        let folder: DataFolder
        do {
            folder = try DataFolder(path: configuration.dataFolder)
        } catch {
            throw StartError(Self.words(for: error, folder: configuration.dataFolder))
        }
        if let notice = folder.notice { log(notice) }
        var settings = ServiceLoop.Configuration(
            host: configuration.address,
            port: configuration.port,
            log: { log($0) }
        )
        settings.usesPoll = configuration.usesPoll
        let loop: ServiceLoop
        do { loop = try ServiceLoop(settings) } catch {
            folder.close()
            throw StartError(error.message)
        }
        let addresses = AddressPolicy(allowed: configuration.allowedNetworks.compactMap { AddressRange($0) })
        let engine = CurlEngine(
            policy: addresses,
            userAgent: "Headway/\(headwayVersion)",
            certificateAuthorities: configuration.certificateAuthorities
        )
        var random = SystemRandomNumberGenerator()
        let coordinator = Coordinator(
            loop: loop,
            executor: executor(loop),
            configuration: configuration,
            clock: ServerClock(),
            log: log,
            engine: engine,
            folder: folder,
            addresses: addresses,
            files: files,
            run: String(random.next() as UInt64, radix: 36)
        )
        self.coordinator = coordinator
        self.loop = loop
        self.engine = engine
        self.folder = folder
        let host = configuration.address.contains(":") ? "[\(configuration.address)]" : configuration.address
        self.address = "http://\(host):\(loop.port)/"
        loop.start(coordinator)
        do {
            try await coordinator.restore()
        } catch {
            throw StartError("the database can't be read: \(error.message)")
        }
        await coordinator.startTicking()
        // Not before: who came earlier would be told of a table that is not there yet.
        loop.accept()
    }

    /// Stops in order: downloads keep what they have, viewers are told, everything is committed.
    package func stop() async {
        // Before the first sign of it that anybody sees: what ends from here on ends because of it.
        await self.coordinator.noteStopping()
        // Side by side: a disk that is stuck must not keep anybody from being told.
        async let committed: Void = self.coordinator.stop()
        await self.loop.stop(code: CloseCode.goingAway.rawValue, reason: "the server is stopping", grace: .seconds(2))
        await committed
        self.engine.shutdown()
        self.folder.close()
    }

    /// A wrong file would only be found out by every single download.
    private static func checkAuthorities(_ file: String) throws(StartError) {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw StartError("--ca-file \(file) can't be read")
        }
        guard bytes.firstRange(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
            throw StartError("--ca-file \(file) holds no certificate in PEM")
        }
    }

    private static func words(for error: StorageError, folder: String) -> String {
        switch error.kind {
        case .locked(let owner): "the data folder \(folder) is in use by \(owner)"
        default: "the data folder \(folder) can't be used: \(error.message)"
        }
    }
}
