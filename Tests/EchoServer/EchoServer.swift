// SPDX-License-Identifier: Apache-2.0

import Glibc
import WebServer

/// Sends every message back as it came: what a suite of WebSocket cases talks to.
///
/// It prints `Echo is at 127.0.0.1:PORT` and serves until its standard input ends.
@main
struct EchoServer {
    /// The largest message of the cases is far below it.
    private static let messageLimit = 1 << 20

    static func main() async throws {
        var configuration = ServiceLoop.Configuration(host: "127.0.0.1", port: 0, log: { print("log:", $0) })
        configuration.maximumConnections = 100
        configuration.messageLimit = Self.messageLimit
        configuration.takesBinary = true
        let loop = try ServiceLoop(configuration)
        loop.start(Echo(loop: loop))
        loop.accept()
        // Not by `print`: a pipe would keep the line in a buffer.
        let line = Array("Echo is at 127.0.0.1:\(loop.port)\n".utf8)
        _ = unsafe write(STDOUT_FILENO, line, line.count)
        while readLine() != nil {}
        await loop.stop(code: 1001, reason: "the input has ended", grace: .seconds(1))
    }
}
