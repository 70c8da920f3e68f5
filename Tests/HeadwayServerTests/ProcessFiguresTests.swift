// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadwayServer

@Suite struct ProcessFiguresTests {
    private static let stat =
        "4711 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 12 0 9000 123456789 2500 18446744073709551615 0 0"
    private static let machine = "cpu 1 2 3\nctxt 5\nbtime 1700000000\nprocesses 9\n"
    private static let limits = """
        Limit                     Soft Limit           Hard Limit           Units
        Max file size             unlimited            unlimited            bytes
        Max open files            1024                 524288               files
        """

    private func figures(_ stat: String, limits: String = Self.limits) -> ProcessFigures? {
        ProcessFigures(
            stat: stat,
            machine: Self.machine,
            limits: limits,
            openFiles: 17,
            ticksPerSecond: 100,
            pageBytes: 4096
        )
    }

    @Test func `the kernel's words are read, whatever the program is called`() throws {
        let figures = try #require(self.figures(Self.stat))
        #expect(figures.cpu == .seconds(2))
        #expect(figures.threads == 12)
        #expect(figures.started == .seconds(1_700_000_090))
        #expect(figures.virtualBytes == 123_456_789)
        #expect(figures.residentBytes == 2500 * 4096)
        #expect(figures.openFiles == 17)
        #expect(figures.maximumOpenFiles == 1024)
    }

    @Test func `no limit is the largest there is`() {
        let figures = self.figures(Self.stat, limits: "Max open files            unlimited            unlimited  files")
        #expect(figures?.maximumOpenFiles == .max)
    }

    @Test func `what lacks a field says nothing`() {
        #expect(self.figures("4711 (a) S 1 2") == nil)
        #expect(self.figures("") == nil)
        #expect(self.figures(Self.stat, limits: "") == nil)
    }

    @Test func `this process has figures`() async throws {
        let figures = try #require(await ProcessFigures.read())
        #expect(figures.residentBytes > 1 << 20)
        #expect(figures.openFiles > 2)
        #expect(figures.threads >= 1)
    }
}
