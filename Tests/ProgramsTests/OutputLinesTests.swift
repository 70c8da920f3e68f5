// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Programs

@Suite struct OutputLinesTests {
    private func lines(_ pieces: [String]) -> [String] {
        var lines = OutputLines()
        var told = pieces.flatMap { lines.take(Array($0.utf8)[...]) }
        if let last = lines.end() { told.append(last) }
        return told
    }

    @Test func `pieces make no difference`() {
        #expect(self.lines(["a\r\nb\n", "\n", "c", "d\ne"]) == ["a", "b", "", "cd", "e"])
        #expect(self.lines(Array("a\nbc").map(String.init)) == ["a", "bc"])
        #expect(self.lines([]) == [])
    }

    @Test func `a long line is cut, and does not reach into the next one`() {
        let long = String(repeating: "y", count: 5000)
        #expect(self.lines([long, long, "\nz\n"]) == [String(repeating: "y", count: 1000) + "…", "z"])
    }

    @Test func `a hundred lines are told, and that there are more`() {
        let all = (1...300).map { "\($0)\n" }.joined()
        let told = self.lines([all, "more"])
        #expect(told.count == 101)
        #expect(told[99] == "100")
        #expect(told[100] == "what it writes beyond 100 lines is left out")
    }
}
