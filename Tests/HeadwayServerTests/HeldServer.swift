// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Locks
import TestSupport
import WebServer

@testable import HeadwayServer

/// A whole server over a folder of its own, with a turnstile before its coordinator.
final class HeldServer: Sendable {
    let turnstile: Turnstile
    let server: Server
    let port: UInt16
    private let folder: TemporaryDirectory

    private init(turnstile: Turnstile, server: Server, folder: TemporaryDirectory) {
        self.turnstile = turnstile
        self.server = server
        self.folder = folder
        self.port = server.coordinator.loop.port
    }

    static func start() async throws -> HeldServer {
        let folder = try TemporaryDirectory()
        try folder.write(Array("<!doctype html>".utf8), to: "index.html")
        var configuration = Configuration()
        configuration.port = 0
        configuration.dataFolder = folder.path + "/data"
        configuration.webFolder = folder.path
        configuration.allowedNetworks = ["127.0.0.0/8"]
        // A process has one libev, and other tests need it.
        configuration.usesPoll = true
        let turnstile = Locked<Turnstile?>(nil)
        let server = try await Server(configuration, log: Log(.text)) { loop in
            let made = Turnstile(loop: loop)
            turnstile.withLock { $0 = made }
            return made
        }
        guard let turnstile = turnstile.withLock({ $0 }) else {
            preconditionFailure("the server asked for no executor")
        }
        return HeldServer(turnstile: turnstile, server: server, folder: folder)
    }

    /// Lets it download a file, and returns the transfer's id.
    func store(_ link: String) async throws -> String {
        let client = try RawClient(port: self.port)
        try client.send(AbortedRequest.post("transfers", #"{"kind":"download","url":"\#(link)"}"#))
        var heard = ""
        // The answer, and then what is asked again and again until it has ended.
        for _ in 0..<2_000 {
            heard += String(decoding: client.readAvailable(), as: UTF8.self)
            let id = heard.firstMatch(of: /"id":"([0-9a-f-]{36})"/)?.output.1
            if let id, heard.contains(#""state":"succeeded""#) { return String(id) }
            if let id { try client.send(AbortedRequest.head("GET", "transfers/\(id)")) }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Visit.Failure(description: "it was not stored: \(heard.suffix(500))")
    }

    /// What is left of requests, streams and sockets; empty when nobody is connected and nothing is under way.
    func leftovers() async -> [String] {
        let coordinator = self.server.coordinator
        return await withCheckedContinuation { continuation in
            coordinator.loop.post {
                let left = coordinator.assumeIsolated { coordinator in
                    let counts = coordinator.loop.counts
                    return [
                        "connections": counts.open, "sockets": counts.webSockets, "streams": counts.eventStreams,
                        "creations": coordinator.creations.count, "allowances": coordinator.allowances.count,
                        "heads": coordinator.streams.count, "waiters": coordinator.endWaiters.count,
                    ]
                }
                continuation.resume(returning: left.filter { $0.value != 0 }.map { "\($0.value) \($0.key)" }.sorted())
            }
        }
    }

    /// The descriptors through which this process has stored files open.
    func openFiles() -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return all.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
            .filter { $0.hasPrefix(self.folder.path + "/data/files/") }
    }
}
