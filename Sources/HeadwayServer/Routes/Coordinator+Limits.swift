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
            if maxRate != self.maximumRate {
                self.log(maxRate.map { "downloads and pushes may move \($0) bytes a second" } ?? "no rate is limited")
                self.limit(to: maxRate)
            }
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
