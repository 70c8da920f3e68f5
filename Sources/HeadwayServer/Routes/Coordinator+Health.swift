// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import WebServer

/// What is asked by whoever looks after the server.
extension Coordinator {
    static func plain(_ word: String) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [("content-type", "text/plain; charset=utf-8"), ("cache-control", "no-store")] + Answer.protective,
            body: .bytes(Array((word + "\n").utf8))
        )
    }

    var readiness: HTTPResponse {
        guard self.isStopping else { return Self.plain("ready") }
        return Answer.problem(Problem(.interrupted, "The server is stopping", retryable: true, status: 503))
    }
}
