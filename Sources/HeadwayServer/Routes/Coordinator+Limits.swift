// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import WebServer

extension Coordinator {
    /// Answers `GET /limits`.
    var limits: HTTPResponse {
        var writer = JSONWriter()
        writer.open("{")
        writer.member("maxRate", self.maximumRate)
        writer.close("}")
        return Answer.json(200, writer.bytes)
    }

    /// Answers `PATCH /limits`: from now on, until the server is started again.
    func changeLimits(_ request: HTTPRequest) -> RequestDecision {
        do throws(Problem) {
            let maxRate = try Command.limits(try Self.document(request)).number
            self.limit(to: maxRate)
            self.log(maxRate.map { "all together may move \($0) bytes a second" } ?? "the rate of all is not limited")
            return .respond(self.limits)
        } catch {
            return .respond(Answer.problem(error))
        }
    }

    func limit(to rate: Int64?) {
        self.maximumRate = rate
        self.engine.limitAll(to: rate)
    }
}
