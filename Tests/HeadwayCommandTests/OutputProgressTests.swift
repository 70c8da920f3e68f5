// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import headway

/// What commands print, as they print it when their output is no terminal.
@Suite struct OutputProgressTests {
    private func last(_ text: String) -> OutputProgress.Reading? {
        var progress = OutputProgress()
        return progress.take(Array(text.utf8))
    }

    @Test(arguments: [
        ("45%\n", 45), ("45 %\n", 45), ("\r 45.9% done", 45), ("copied 100%\r", 100), ("0%\n", 0),
        ("  1,234,567  45%    1.23MB/s    0:00:10 (xfr#3, to-chk=7/12)\r", 45),
        ("  1500K .......... .......... ..........  7%  3.1M 2s\n", 7), ("10%\r20%\r30%\r", 30),
        ("a 20% or 30% chance\n", 30), ("[####      ] 40%\u{8}\u{8}\u{8}41%", 41),
    ])
    func `a percentage is read in whatever words`(text: String, percent: Int64) {
        #expect(self.last(text) == OutputProgress.Reading(done: percent, total: 100))
    }

    @Test(arguments: ["no figures\n", "101%\n", "1000%\n", "%\n", "100 of 200\n", "v1.2.3%\n", "disk 250%\n", ""])
    func `what is no percentage is not read`(text: String) {
        #expect(self.last(text) == nil)
    }

    @Test func `the meter of curl is read with its sizes`() {
        let head = """
              % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                             Dload  Upload   Total   Spent    Left  Speed

            """
        let line = "\r 45  953M   45  429M    0     0  8032k      0  0:02:01  0:00:53  0:01:08 8400k\r"
        #expect(self.last(head + line) == OutputProgress.Reading(done: 429 << 20, total: 953 << 20))
    }

    @Test func `the meter of curl counts what it sends as well`() {
        let line = "\r 50  2048    0     0   50  1024      0   8032 --:--:-- --:--:-- --:--:--  8032\r"
        #expect(self.last(line) == OutputProgress.Reading(done: 1024, total: 2048))
    }

    @Test func `it does not matter where a piece ends`() {
        var progress = OutputProgress()
        let readings = ["4", "5", "%"].map { progress.take(Array($0.utf8)) }
        #expect(readings == [nil, nil, OutputProgress.Reading(done: 45, total: 100)])
    }

    @Test func `an endless line is forgotten, and the next one is read`() {
        var progress = OutputProgress()
        let endless = progress.take([UInt8](repeating: UInt8(ascii: "5"), count: 100_000) + Array("%\n".utf8))
        #expect(endless == nil)
        let next = progress.take(Array("12%\n".utf8))
        #expect(next == OutputProgress.Reading(done: 12, total: 100))
    }
}
