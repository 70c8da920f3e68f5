// SPDX-License-Identifier: Apache-2.0
import CurlTransfers
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CurlAddressTests {
    @Test(
        arguments: [
            "127.0.0.1", "localhost", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "127.1", "0", "0.0.0.0",
            "user:pass@127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::]",
        ]
    )
    func `no spelling of this machine gets a connection`(host: String) async throws {
        let origin = try ScriptedOrigin { _ in ScriptedOrigin.Step.whole([1]) }
        let collector = await CurlEngine(allowing: []).fetch(origin.url("/", host: host))
        let failure = await collector.failure()
        guard case .blockedAddress(let reason) = failure?.kind else {
            Issue.record("\(host) ended with \(await collector.end())")
            return
        }
        #expect(reason.contains(" is a"))
        #expect(failure?.message == reason + ", and only public addresses may be contacted")
        #expect(origin.connectionCount == 0)
        #expect(collector.told.heads.isEmpty)
    }

    @Test(arguments: [
        "http://[::ffff:127.0.0.2]:PORT/", "http://127.0.0.2:PORT/", "http://169.254.169.254/latest/", "//[::1]:PORT/",
    ])
    func `a redirect to a forbidden address is blocked there`(target: String) async throws {
        let inner = try ScriptedOrigin { _ in ScriptedOrigin.Step.whole([1]) }
        let location = target.replacing("PORT", with: "\(inner.port)")
        let origin = try ScriptedOrigin { _ in ScriptedOrigin.Step.redirect(to: location) }
        let collector = await CurlEngine(allowing: ["127.0.0.1/32"]).fetch(origin.url("/"))
        guard case .blockedAddress = await collector.failure()?.kind else {
            Issue.record("ended with \(await collector.end())")
            return
        }
        #expect(origin.connectionCount == 1)
        #expect(inner.connectionCount == 0)
        #expect(collector.told.heads.isEmpty)
    }

    @Test func `a mapped address is open when its inner one is`() async throws {
        let origin = try ScriptedOrigin { _ in ScriptedOrigin.Step.whole([1]) }
        let collector = await CurlEngine(allowing: ["127.0.0.1/32"]).fetch(origin.url("/", host: "[::ffff:127.0.0.1]"))
        #expect(await collector.end() == .finished)
    }
}
