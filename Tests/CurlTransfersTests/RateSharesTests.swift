// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CurlTransfers

@Suite struct RateSharesTests {
    /// Some that move bytes, by a clock that is wound by hand: what the curl thread does.
    private struct Traffic {
        struct One {
            /// Bytes per second that the other side has; nil = any.
            var pace: Int64?
            /// Whether it moves only some time after it was let go on, as what is sent does.
            var isLate = false
            var moved: Int64 = 0
            var isWaiting = false
        }

        var shares = RateShares<Int>()
        var all: [Int: One] = [:]
        var now = Duration.zero
        var moves: [(at: Duration, bytes: Int64)] = []

        mutating func run(_ time: Duration, step: Duration = .milliseconds(1)) {
            let end = self.now + time
            while self.now < end {
                for name in self.shares.ready(at: self.now) { self.goOn(name) }
                while let name = self.shares.next(at: self.now) {
                    self.goOn(name)
                    if self.all[name]?.isLate != true { self.shares.endTurn(of: name) }
                }
                for name in self.all.keys.sorted() { self.move(name) }
                let wait = self.shares.wait(at: self.now)
                #expect(wait == nil || wait ?? .zero >= .zero)
                if wait == nil { #expect(!self.all.values.contains { $0.isWaiting }) }
                self.now += step
            }
        }

        mutating func goOn(_ name: Int) {
            self.all[name]?.isWaiting = false
            if self.all[name]?.isLate != true { self.move(name) }
        }

        /// As much as there is, piece by piece, until it has to wait.
        mutating func move(_ name: Int) {
            for _ in 0..<100 {
                guard let one = self.all[name], !one.isWaiting else { return }
                if let pace = one.pace, Double(one.moved + 16_384) > Double(pace) * (self.now / .seconds(1)) { return }
                guard !self.shares.isLimited(name) || self.shares.mayMove(name, at: self.now) else {
                    self.all[name]?.isWaiting = true
                    return
                }
                self.all[name]?.moved += 16_384
                self.shares.moved(name, 16_384, at: self.now)
                self.moves.append((self.now, 16_384))
            }
        }
    }

    @Test func `all together keep the limit, and each gets its part`() {
        var traffic = Traffic()
        traffic.shares.limitAll(1_000_000, at: .zero)
        for name in 0..<5 { traffic.all[name] = .init(isLate: name == 4) }
        traffic.run(.seconds(20))
        let sum = traffic.all.values.reduce(0) { $0 + $1.moved }
        #expect(sum <= 20_000_000 + 100_000)
        #expect(sum >= 18_000_000)
        for one in traffic.all.values { #expect((3_000_000...5_000_000).contains(one.moved), "\(one.moved)") }
    }

    @Test func `what slow ones leave is used by the others`() {
        var traffic = Traffic()
        traffic.shares.limitAll(1_000_000, at: .zero)
        traffic.all = [0: .init(pace: 50_000), 1: .init(pace: 100_000), 2: .init(), 3: .init()]
        traffic.run(.seconds(20))
        let moved = traffic.all.mapValues(\.moved)
        #expect((900_000...1_000_000).contains(moved[0] ?? 0), "\(moved)")
        #expect((1_800_000...2_000_000).contains(moved[1] ?? 0), "\(moved)")
        #expect((7_000_000...9_000_000).contains(moved[2] ?? 0), "\(moved)")
        #expect((7_000_000...9_000_000).contains(moved[3] ?? 0), "\(moved)")
    }

    @Test func `each keeps its own limit, also below that of all`() {
        var traffic = Traffic()
        traffic.shares.limitAll(1_000_000, at: .zero)
        traffic.shares.limit(0, 100_000, at: .zero)
        traffic.shares.limit(1, 5_000_000, at: .zero)
        traffic.all = [0: .init(), 1: .init()]
        traffic.run(.seconds(20))
        #expect((1_800_000...2_020_000).contains(traffic.all[0]?.moved ?? 0))
        #expect((15_000_000...18_500_000).contains(traffic.all[1]?.moved ?? 0))
    }

    @Test func `one that is let go on and can't move holds nobody up`() {
        var traffic = Traffic()
        traffic.shares.limitAll(1_000_000, at: .zero)
        traffic.all = [0: .init(isLate: true), 1: .init()]
        traffic.run(.seconds(1))
        traffic.all[0]?.pace = 0
        let before = traffic.all[1]?.moved ?? 0
        traffic.run(.seconds(10))
        #expect((traffic.all[1]?.moved ?? 0) - before >= 9_000_000)
    }

    @Test func `a limit that is lifted or changed lets go on whoever waits`() {
        var traffic = Traffic()
        traffic.shares.limitAll(1, at: .zero)
        traffic.shares.limit(0, 1, at: .zero)
        traffic.all = [0: .init(pace: 1_000_000), 1: .init(pace: 1_000_000), 2: .init(pace: 1_000_000)]
        traffic.run(.seconds(1))
        #expect(traffic.moves.count <= 2)
        traffic.shares.limitAll(nil, at: traffic.now)
        traffic.run(.seconds(1))
        #expect((traffic.all[0]?.moved ?? 0) <= 32_768)
        #expect((traffic.all[1]?.moved ?? 0) > 1_900_000)
        traffic.shares.limit(0, nil, at: traffic.now)
        traffic.run(.seconds(1))
        #expect((traffic.all[0]?.moved ?? 0) > 2_900_000)
        #expect(!traffic.shares.isLimited(0))
    }

    @Test(arguments: UInt64(1)...30)
    func `whatever happens, the limit of all holds and everyone comes to its turn`(seed: UInt64) {
        var dice = Dice(seed)
        var traffic = Traffic()
        let rate = Int64(dice.next() % 3_000_000) + 200_000
        traffic.shares.limitAll(rate, at: .zero)
        for name in 0..<8 { traffic.all[name] = .init(isLate: dice.next() % 2 == 0) }
        for _ in 0..<60 {
            let name = Int(dice.next() % 8)
            switch dice.next() % 5 {
            case 0: traffic.shares.limit(name, Int64(dice.next() % 1_000_000) + 1, at: traffic.now)
            case 1: traffic.shares.limit(name, nil, at: traffic.now)
            case 2:
                traffic.shares.remove(name)
                traffic.all[name]?.isWaiting = false
            case 3: traffic.all[name]?.pace = 0
            default: traffic.all[name]?.pace = nil
            }
            traffic.run(.milliseconds(Int64(dice.next() % 300)))
        }
        #expect(mostBeyond(rate, traffic.moves) <= Double(max(rate / 10, 16_384)) + 1)
        let before = traffic.all.mapValues(\.moved)
        for name in 0..<8 {
            traffic.all[name]?.pace = nil
            traffic.shares.limit(name, nil, at: traffic.now)
        }
        traffic.run(.seconds(10))
        for name in 0..<8 { #expect((traffic.all[name]?.moved ?? 0) > before[name] ?? 0, "\(name) of \(seed)") }
    }
}
