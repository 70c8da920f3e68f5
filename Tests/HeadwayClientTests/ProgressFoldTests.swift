// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@testable import HeadwayClient

@Suite struct ProgressFoldTests {
    private let at = Timestamp(milliseconds: 0)

    private func hello(_ seq: UInt64 = 0, resumed: Bool = false) -> Frame {
        .hello(
            Frame.Hello(
                server: "s",
                epoch: "e",
                seq: seq,
                resumed: resumed,
                interval: 100,
                heartbeat: 5000,
                at: self.at
            )
        )
    }

    private func transfer(_ number: Int64, _ bytes: Int64 = 0, outcome: Outcome? = nil) -> Transfer {
        var transfer = Transfer(
            id: TransferID(milliseconds: number, random: (0, 0)),
            kind: .demo,
            name: "n\(number)",
            createdAt: self.at
        )
        transfer.state = outcome?.state ?? .running
        transfer.outcome = outcome
        transfer.bytes = bytes
        return transfer
    }

    private func start(_ transfer: Transfer, _ seq: UInt64 = 0) -> Frame { .start(seq: seq, at: self.at, transfer) }
    private func progress(_ transfer: Transfer, _ seq: UInt64 = 0) -> Frame {
        .progress(seq: seq, at: self.at, Frame.Figures(of: transfer))
    }
    private func complete(_ transfer: Transfer, _ seq: UInt64 = 0) -> Frame {
        .complete(seq: seq, at: self.at, transfer)
    }

    private func fold(_ frames: Frame...) -> ProgressFold {
        var fold = ProgressFold()
        for frame in frames { _ = fold.apply(frame) }
        return fold
    }

    @Test func `nothing is announced before ready, then the whole table`() {
        var fold = ProgressFold()
        let old = self.transfer(1, 5, outcome: .succeeded)
        let running = self.transfer(2, 3)
        let frames = [self.hello(), self.start(old), self.progress(old), self.complete(old), self.start(running)]
        for frame in frames { #expect(fold.apply(frame).isEmpty) }
        #expect(fold.apply(.ready(seq: 9)) == [.table([old, running]), .live])
        #expect(fold.resumePoint == ResumePoint(epoch: "e", seq: 9))
    }

    @Test func `a start, figures and an end are news after ready`() {
        var fold = self.fold(self.hello(), .ready(seq: 1))
        var transfer = self.transfer(1)
        #expect(fold.apply(self.start(transfer, 2)) == [.started(transfer)])
        transfer.bytes = 7
        #expect(fold.apply(self.progress(transfer, 3)) == [.moved(transfer)])
        let ended = self.transfer(1, 7, outcome: .failed)
        #expect(fold.apply(self.complete(ended, 4)) == [.ended(ended)])
    }

    @Test func `the last figures before an end are told with the end`() {
        var fold = self.fold(self.hello(), self.start(self.transfer(1)), .ready(seq: 1))
        let ended = self.transfer(1, 7, outcome: .succeeded)
        #expect(fold.apply(self.progress(ended, 2)).isEmpty)
        #expect(fold.apply(self.complete(ended, 2)) == [.ended(ended)])
    }

    @Test func `an end that the server repeats after a resume is told once`() {
        let running = self.transfer(1)
        let ended = self.transfer(1, 7, outcome: .succeeded)
        var fold = self.fold(self.hello(), self.start(running), .ready(seq: 1), self.complete(ended, 2))
        _ = fold.apply(self.hello(1, resumed: true))
        #expect(fold.apply(self.start(ended, 2)) == [.moved(ended)])
        #expect(fold.apply(self.complete(ended, 2)).isEmpty)
        #expect(fold.apply(.ready(seq: 2)) == [.live])
    }

    @Test func `what began and ended while away is told as begun and ended`() {
        var fold = self.fold(self.hello(), .ready(seq: 1), self.hello(1, resumed: true))
        let ended = self.transfer(1, 7, outcome: .succeeded)
        #expect(fold.apply(self.start(ended, 2)) == [.started(ended)])
        #expect(fold.apply(self.complete(ended, 2)) == [.ended(ended)])
    }

    @Test func `an end that the table knew already is no news`() {
        let ended = self.transfer(1, 7, outcome: .succeeded)
        var fold = self.fold(self.hello(), self.start(ended), .ready(seq: 1))
        #expect(fold.apply(self.complete(ended, 2)).isEmpty)
    }

    @Test func `the old table stays until the new one is ready`() {
        let first = self.transfer(1)
        let second = self.transfer(2)
        var fold = self.fold(self.hello(), self.start(first), .ready(seq: 1), self.hello(), self.start(second))
        #expect(fold.transfers == [first])
        #expect(fold.apply(.ready(seq: 2)).first == .table([second]))
        #expect(fold.transfers == [second])
    }

    @Test func `a table whose filling was cut is filled on after a resume`() {
        let first = self.transfer(1)
        let second = self.transfer(2)
        var fold = self.fold(self.hello(), self.start(first, 5), self.hello(5, resumed: true), self.start(second, 6))
        #expect(fold.apply(.ready(seq: 6)).first == .table([first, second]))
    }

    @Test func `a deleted row is told as it was last known, an unknown one not at all`() {
        let running = self.transfer(1, 4)
        var fold = self.fold(self.hello(), self.start(running), .ready(seq: 1))
        let unknown = TransferID(milliseconds: 9, random: (0, 0))
        #expect(fold.apply(.removed(seq: 2, at: self.at, id: unknown, outcome: nil)).isEmpty)
        let cancelled = self.transfer(1, 4, outcome: .cancelled)
        #expect(fold.apply(.removed(seq: 2, at: self.at, id: running.id, outcome: .cancelled)) == [.removed(cancelled)])
        #expect(fold.transfers.isEmpty)
    }

    @Test func `figures without a start are ignored`() {
        var fold = self.fold(self.hello(), .ready(seq: 1))
        #expect(fold.apply(self.progress(self.transfer(1), 2)).isEmpty)
    }

    @Test(arguments: [(1, 4, false), (2, 4, true), (1, 5, true)])
    func `a heartbeat that does not add up sends the client astray`(open: Int64, sum: Int64, isAstray: Bool) {
        let ended = self.transfer(2, 70, outcome: .succeeded)
        var fold = self.fold(self.hello(), self.start(self.transfer(1, 4)), self.start(ended), .ready(seq: 1))
        _ = fold.apply(.heartbeat(seq: 8, at: self.at, open: open, sum: sum))
        #expect(fold.isAstray == isAstray)
        #expect(fold.mismatches == (isAstray ? 1 : 0))
        #expect(fold.resumePoint?.seq == 8)
        _ = fold.apply(self.hello())
        #expect(!fold.isAstray)
        #expect(fold.mismatches == (isAstray ? 1 : 0))
    }

    @Test func `a heartbeat without sums says nothing about the table`() {
        var fold = self.fold(self.hello(), self.start(self.transfer(1, 4)), .ready(seq: 1))
        _ = fold.apply(.heartbeat(seq: 8, at: self.at, open: nil, sum: nil))
        #expect(!fold.isAstray)
    }

    @Test func `only the newest of a great many ended rows are kept`() {
        var fold = self.fold(self.hello(), .ready(seq: 1))
        let running = self.transfer(0)
        _ = fold.apply(self.start(running, 2))
        for number in 1...Int64(2 * Rows.maximumEnded) {
            let ended = self.transfer(number, 1, outcome: .succeeded)
            _ = fold.apply(self.start(ended, 2))
            _ = fold.apply(self.complete(ended, 2))
        }
        #expect(fold.transfers.count == Rows.maximumEnded + 1)
        #expect(fold.transfer(running.id) == running)
    }
}
