// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct SourceLinkTests {
    @Test(arguments: [
        ("http://o/a", "http://o/a", "o:80"), ("HTTPS://Example.ORG", "https://example.org/", "example.org:443"),
        ("http://o/Please Try This.rar", "http://o/Please%20Try%20This.rar", "o:80"),
        ("http://o/é?q=ü", "http://o/%C3%A9?q=%C3%BC", "o:80"), ("http://o/%41%zz", "http://o/%41%zz", "o:80"),
        ("http://o:8080/x#frag", "http://o:8080/x", "o:8080"), ("http://o:/x", "http://o/x", "o:80"),
        ("http://u:p@h/f?sig=x", "http://u:p@h/f?sig=x", "h:80"), ("http://[::1]:81/", "http://[::1]:81/", "[::1]:81"),
        ("http://a@b@h/", "http://a@b@h/", "h:80"), ("http://h.:443?x", "http://h:443/?x", "h:443"),
        ("https://bücher.example/", "https://bücher.example/", "bücher.example:443"),
        ("  http://o/  ", "http://o/", "o:80"),
        ("http://2130706433/", "http://2130706433/", "2130706433:80"),
    ])
    func `a link is taken apart`(given: String, url: String, host: String) throws {
        let link = try SourceLink(given)
        #expect(link.url == url)
        #expect(link.host == host)
    }

    @Test(arguments: [
        "", "example.org/x", "ftp://o/", "file:///etc/hostname", "javascript:alert(1)", "http:/o", "http://",
        "http:///x",
        "http://:80/", "http://o:0/", "http://o:65536/", "http://o:8a/", "http://o\r\nX: y/", "http://a b/",
        "http://o\\@h/",
        "http://[::1/", "http://[]/", "http://%6F/", "http://o\u{202E}/", "http://o/\u{0}", "http://u\"x@h/",
        "http://./",
        "http://[::1%25eth0]/", "http://[x]/",
    ])
    func `what can't be fetched is refused`(given: String) {
        let problem = #expect(throws: Problem.self) { try SourceLink(given) }
        #expect(problem?.code == .unsupportedURL)
        #expect(problem?.status == 400)
    }

    @Test func `a link that is too long is refused, also once it is escaped`() {
        #expect(throws: Problem.self) { try SourceLink("http://o/" + String(repeating: "a", count: 8200)) }
        #expect(throws: Problem.self) { try SourceLink("http://o/" + String(repeating: "é", count: 2000)) }
        #expect(throws: Never.self) { try SourceLink("http://o/" + String(repeating: "a", count: 8183)) }
    }

    @Test(arguments: [
        ("http://u:p@h/f?sig=x", "http://h/f?sig=***"),
        ("https://h/f?a=1&b=&c&d=e=f#z", "https://h/f?a=***&b=***&***&d=***"),
        ("http://h", "http://h/"), ("http://h/?", "http://h/?"), ("http://user@h:81/p/q", "http://h:81/p/q"),
    ])
    func `what is shown holds no secret`(given: String, masked: String) throws {
        #expect(try SourceLink(given).masked == masked)
    }

    @Test func `what is shown is never long`() throws {
        let masked = try SourceLink("http://h/" + String(repeating: "é", count: 1300)).masked
        #expect(masked.utf8.count <= 2048)
        #expect(masked.hasSuffix("…"))
    }
}
