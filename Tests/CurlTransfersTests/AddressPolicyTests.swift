// SPDX-License-Identifier: Apache-2.0
import CurlTransfers
import Testing

@Suite struct AddressPolicyTests {
    @Test(
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.1.2.3",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
            "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255", "::", "::1", "::2", "fc00::1", "fdff::1", "fe80::1", "febf::1", "fec0::1", "ff02::1",
            "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::127.0.0.1",
            "64:ff9b::8.8.8.8", "64:ff9b:1::1", "2002:7f00:1::", "2001:0:1::1", "2001:20::1", "2001:db8::1", "3fff::1",
            "100::1", "4000::1",
        ]
    )
    func `what is not public is blocked with a reason that names it`(text: String) throws {
        let address = try #require(IPAddress(text))
        guard case .blocked(let reason) = AddressPolicy(allowed: []).judge(address) else {
            Issue.record("\(text) is allowed")
            return
        }
        #expect(reason.hasPrefix("\(address) is "))
    }

    @Test(
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255", "2600::1", "2a00:1450::1", "2001:200::1", "2001:4860:4860::8888", "::ffff:8.8.8.8",
        ]
    )
    func `what is public is allowed`(text: String) throws {
        #expect(AddressPolicy(allowed: []).judge(try #require(IPAddress(text))) == .allowed)
    }

    @Test func `the reason says what the address is`() throws {
        let policy = AddressPolicy(allowed: [])
        #expect(policy.judge(host: "127.0.0.1") == .blocked(reason: "127.0.0.1 is a loopback address"))
        #expect(policy.judge(host: "[::ffff:127.0.0.1]") == .blocked(reason: "::ffff:127.0.0.1 is a loopback address"))
        #expect(policy.judge(host: "169.254.169.254") == .blocked(reason: "169.254.169.254 is a link-local address"))
        #expect(policy.judge(host: "[fd00::1]") == .blocked(reason: "fd00::1 is a private address"))
    }

    @Test func `an opened range is allowed in both spellings and nothing beside it`() throws {
        let policy = AddressPolicy(allowed: [try #require(AddressRange("127.0.0.0/30"))])
        #expect(policy.judge(host: "127.0.0.3") == .allowed)
        #expect(policy.judge(host: "[::ffff:127.0.0.3]") == .allowed)
        #expect(policy.judge(host: "127.0.0.4") != .allowed)
        #expect(policy.judge(host: "[::1]") != .allowed)
    }

    @Test func `opening all of version 6 does not open version 4 in disguise`() throws {
        let policy = AddressPolicy(allowed: [try #require(AddressRange("::/0"))])
        #expect(policy.judge(host: "::1") == .allowed)
        #expect(policy.judge(host: "::ffff:127.0.0.1") != .allowed)
    }

    @Test(arguments: [
        "localhost", "example.com", "2130706433", "0x7f.1", "0177.0.0.1", "0", "127.1", "", "[", "1.2.3.4.5",
    ])
    func `a host that is not a plain address is a name`(host: String) {
        #expect(AddressPolicy(allowed: []).judge(host: host) == nil)
    }

    @Test(arguments: ["[fe80::1%25eth0]", "127.0.0.1.", "[::1]", "::1"])
    func `zones, brackets and a last dot do not hide an address`(host: String) {
        #expect(AddressPolicy(allowed: []).judge(host: host) != nil)
    }
}
