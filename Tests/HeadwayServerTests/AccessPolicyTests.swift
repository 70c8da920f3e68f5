// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@testable import HeadwayServer

@Suite struct AccessPolicyTests {
    private let policy = AccessPolicy(hosts: ["files.example"])

    @Test(arguments: [
        "127.0.0.1", "127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]", "[::1]:8080", "192.168.1.5:80",
        "files.example", "Files.Example:443",
    ])
    func `our names, and any address, are ours`(host: String) {
        #expect(self.policy.refusal(host: host, origin: nil, acts: true) == nil)
    }

    @Test(arguments: [
        nil, "", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost:x", "[::1",
    ])
    func `other names are refused with 421`(host: String?) {
        #expect(self.policy.refusal(host: host, origin: nil, acts: false)?.status == 421)
    }

    @Test func `a page of ours may act, over http and behind a proxy that ends TLS`() {
        for origin in ["http://localhost:8080", "https://localhost:8080", "HTTP://LOCALHOST:8080"] {
            #expect(self.policy.refusal(host: "localhost:8080", origin: origin, acts: true) == nil)
        }
    }

    @Test(arguments: ["null", "http://evil.example", "http://localhost", "http://localhost:8081", "localhost:8080", ""])
    func `other pages may not act`(origin: String) {
        #expect(self.policy.refusal(host: "localhost:8080", origin: origin, acts: true)?.status == 403)
    }

    @Test func `a request that only reads is not asked for its page`() {
        #expect(self.policy.refusal(host: "localhost", origin: "http://evil.example", acts: false) == nil)
    }
}
