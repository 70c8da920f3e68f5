// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProgressProtocol
import TestSupport
import Testing

@testable import HeadwayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct HeadwayClientTests {
    private func client(_ address: String) throws -> HeadwayClient {
        HeadwayClient(base: try #require(URL(string: address)))
    }

    private func origin(answering text: String) throws -> ScriptedOrigin {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        return try ScriptedOrigin(["/api/v1/limits": [.send(answer)]])
    }

    @Test(arguments: ["http://h:1", "http://h:1/"])
    func `the address may end with a slash or not`(address: String) throws {
        let request = try self.client(address).request("GET", "events")
        #expect(request.url?.absoluteString == "http://h:1/api/v1/events")
    }

    @Test func `the path of a proxy is kept`() throws {
        let request = try self.client("https://h/xfer/").request("GET", "transfers")
        #expect(request.url?.absoluteString == "https://h/xfer/api/v1/transfers")
    }

    @Test func `a filter and a resume point are written so that no server reads them in two ways`() throws {
        var filter = Command.Filter()
        filter.groups = ["a+b & c;é"]
        filter.kinds = [.demo, .download]
        let request = try self.client("http://h").events(filter, from: ResumePoint(epoch: "m4x9.1f", seq: 7))
        #expect(
            request.url?.absoluteString
                == "http://h/api/v1/events?epoch=m4x9.1f&seq=7&group=a%2Bb%20%26%20c%3B%C3%A9&kind=demo&kind=download"
        )
    }

    @Test func `an address that is not of the web is refused by name`() async throws {
        let client = try self.client("ftp://h")
        let problem = await #expect(throws: Problem.self) {
            _ = try await client.start(download: "http://example.org/a")
        }
        #expect(problem?.detail == "ftp://h is not an http or https address")
    }

    @Test(.timeLimit(.minutes(10))) func `where nothing listens, the error says so in plain words`() async throws {
        let client = try self.client("http://127.0.0.1:1")
        let problem = await #expect(throws: Problem.self) {
            _ = try await client.start(download: "http://example.org/a")
        }
        #expect(problem?.code == .remoteUnreachable)
        #expect(problem?.localizedDescription == "No Headway answers at http://127.0.0.1:1: connection refused")
    }

    @Test(.timeLimit(.minutes(10))) func `a stream to nobody tells each loss and the wait`() async throws {
        var changes = try self.client("http://127.0.0.1:1").updates().makeAsyncIterator()
        guard case .lost(let problem, let wait) = try await changes.next() else {
            Issue.record("something came from nobody")
            return
        }
        #expect(problem.code == .remoteUnreachable)
        #expect((.milliseconds(250)...(.milliseconds(500))).contains(wait))
    }

    @Test(.timeLimit(.minutes(10))) func `a stream ends when its task is cancelled`() async throws {
        let client = try self.client("http://127.0.0.1:1")
        let task = Task {
            var losses = 0
            for try await _ in client.updates() { losses += 1 }
            return losses
        }
        task.cancel()
        #expect(try await task.value <= 1)
    }

    @Test(.timeLimit(.minutes(10))) func `giving up while the connection fails is no trap`() async throws {
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                let exchange = HTTPExchange(request, address: "http://127.0.0.1:1", silence: .seconds(60))
                group.addTask { _ = try? await exchange.next() }
                group.addTask {
                    try? await Task.sleep(for: .microseconds(number * 10))
                    exchange.close()
                }
                if number % 8 == 7 { for _ in 0..<16 { await group.next() } }
            }
        }
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [(#"{"maxRate":5000}"#, RateLimit.bytesPerSecond(5000)), (#"{"maxRate":null}"#, .none)]
    )
    func `the limit of all is asked for and set`(answer: String, limit: RateLimit) async throws {
        let origin = try self.origin(answering: answer)
        let client = try self.client(origin.url(""))
        #expect(try await client.maxRate() == limit)
        #expect(try await client.limitAll(to: .bytesPerSecond(1)) == limit)
    }

    @Test(.timeLimit(.minutes(10))) func `what are no limits is told as that`() async throws {
        let origin = try self.origin(answering: "[]")
        let client = try self.client(origin.url(""))
        let problem = await #expect(throws: Problem.self) { _ = try await client.maxRate() }
        #expect(problem?.code == .remoteProtocol)
    }

    @Test(arguments: [(404, false), (503, true), (429, true)])
    func `an answer without a problem of its own names the status`(status: Int, isRetryable: Bool) {
        let problem = Problem.answer(status: status, body: Array("<html>".utf8), address: "http://h")
        #expect(problem.detail == "http://h answered with HTTP status \(status), and not as Headway does")
        #expect(problem.retryable == isRetryable)
    }

    @Test func `an answer with a problem of its own is that problem`() {
        let body = #"{"type":"t","code":"wrong-state","title":"T","detail":"It has ended","retryable":false}"#
        let problem = Problem.answer(status: 409, body: Array(body.utf8), address: "http://h")
        #expect(problem.code == .wrongState)
        #expect(problem.status == 409)
    }
}
