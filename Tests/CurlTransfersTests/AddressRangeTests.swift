// SPDX-License-Identifier: Apache-2.0
import CurlTransfers
import Testing

@Suite struct AddressRangeTests {
    @Test(
        arguments: [
            ("127.0.0.0/8", "127.0.0.0/8"), ("127.0.0.1", "127.0.0.1/32"), ("10.1.2.3/8", "10.0.0.0/8"),
            ("0.0.0.0/0", "0.0.0.0/0"), ("::1/128", "::1/128"), ("::1", "::1/128"), ("fd12:3456::/16", "fd12::/16"),
            ("::/0", "::/0"), ("::ffff:127.0.0.0/104", "127.0.0.0/8"), ("2001:db8:0:0:1::/80", "2001:db8:0:0:1::/80"),
        ]
    )
    func `a range is read and spelled in one way`(text: String, spelled: String) throws {
        #expect(try #require(AddressRange(text)).description == spelled)
    }

    @Test(
        arguments: [
            "", "/", "/8", "127.0.0.0/", "127.0.0.0/33", "127.0.0.0/-1", "127.0.0.0/08", "127.0.0.0/8/8", "127.0.0/8",
            "::1/129", "::1/1000", "localhost", "0177.0.0.1", "1.2.3.256", "1.2.3.4 ", "[::1]", ":::", "1::2::3", ":1",
            "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "12345::", "g::", "1.2.3.4::", "::1.2.3",
        ]
    )
    func `what is not a range is refused`(text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(
        arguments: [
            ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"), ("0:0:0:0:0:0:0:0", "::"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:2:3:4:5:6:0:8", "1:2:3:4:5:6:0:8"), ("FE80::ABCD", "fe80::abcd"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("::ffff:7f00:1", "::ffff:127.0.0.1"), ("1::", "1::"),
        ]
    )
    func `an address is spelled as RFC 5952 wants it`(text: String, spelled: String) throws {
        #expect(try #require(IPAddress(text)).description == spelled)
    }
}
