// SPDX-License-Identifier: Apache-2.0

/// Who may move a piece now: each as its own limit allows, and all together as theirs does.
///
/// Who finds the limit of all used up stands in line, and gets its turn to move a little: what slow ones leave is used by
/// the others, and nobody starves. A value without a clock; whoever holds it asks `mayMove` before each piece, tells
/// `moved` after it, and lets those go on whom `ready` and `next` name.
struct RateShares<Name: Hashable & Sendable>: Sendable {
    /// Whoever has the turn may move so many bytes, and waits for others before it has another.
    private struct Turn: Sendable {
        let name: Name
        let until: Duration
        var left: Int64
    }

    /// Who does not use its turn loses it: a slow receiver of what we send must not hold up all others.
    private static var longestTurn: Duration { .milliseconds(20) }

    private(set) var all: RateBucket?
    private var own: [Name: RateBucket] = [:]
    /// Those whose own limit is used up.
    private var parked: Set<Name> = []
    private var line: [Name] = []
    /// How many of the line have been served: the array is shortened now and then.
    private var served = 0
    private var inLine: Set<Name> = []
    private var turn: Turn?

    /// Whether anybody has to ask.
    func isLimited(_ name: Name) -> Bool { self.all != nil || self.own[name] != nil }

    /// A limit for all together; nil = none.
    mutating func limitAll(_ rate: Int64?, at now: Duration) {
        self.all = Self.changed(self.all, rate, at: now)
    }

    /// A limit for one; nil = none.
    mutating func limit(_ name: Name, _ rate: Int64?, at now: Duration) {
        self.own[name] = Self.changed(self.own[name], rate, at: now)
    }

    /// It is over.
    mutating func remove(_ name: Name) {
        self.own[name] = nil
        self.parked.remove(name)
        self.inLine.remove(name)
        self.endTurn(of: name)
    }

    /// Whether it may move a piece.
    ///
    /// Who may not waits until it is named by `ready` or `next`.
    mutating func mayMove(_ name: Name, at now: Duration) -> Bool {
        if let own = self.own[name], !own.isOpen(at: now) {
            self.parked.insert(name)
            self.endTurn(of: name)
            return false
        }
        guard let all = self.all else { return true }
        if let turn = self.turn, turn.name == name, all.isOpen(at: now) { return true }
        let isFirst = self.inLine.isEmpty && self.turn.map { $0.name == name || $0.until <= now } ?? true
        if isFirst, all.isOpen(at: now) { return true }
        self.endTurn(of: name)
        if self.inLine.insert(name).inserted { self.line.append(name) }
        return false
    }

    /// It moved so much.
    mutating func moved(_ name: Name, _ bytes: Int, at now: Duration) {
        self.own[name]?.take(bytes, at: now)
        self.all?.take(bytes, at: now)
        guard self.turn?.name == name else { return }
        self.turn?.left -= Int64(bytes)
        if let turn = self.turn, turn.left <= 0 { self.turn = nil }
    }

    /// It has nothing to move at the moment.
    mutating func endTurn(of name: Name) {
        if self.turn?.name == name { self.turn = nil }
    }

    /// Those whose own limits let them go on.
    mutating func ready(at now: Duration) -> [Name] {
        guard !self.parked.isEmpty else { return [] }
        let ready = self.parked.filter { self.own[$0]?.isOpen(at: now) ?? true }
        self.parked.subtract(ready)
        return Array(ready)
    }

    /// Whose turn it is now; nil when nobody's is, or it has not ended.
    mutating func next(at now: Duration) -> Name? {
        if let turn = self.turn, turn.until > now { return nil }
        self.turn = nil
        guard self.all?.isOpen(at: now) ?? true else { return nil }
        while self.served < self.line.count {
            let name = self.line[self.served]
            self.served += 1
            self.shorten()
            guard self.inLine.remove(name) != nil else { continue }
            if let all = self.all {
                // Five milliseconds of the rate: with much to move, turns are long enough to be cheap.
                self.turn = Turn(name: name, until: now + Self.longestTurn, left: max(all.rate / 200, 1))
            }
            return name
        }
        return nil
    }

    /// How long nobody has to be looked after; nil when nobody waits.
    func wait(at now: Duration) -> Duration? {
        var wait = self.parked.map { self.own[$0]?.wait(at: now) ?? .zero }.min()
        guard !self.inLine.isEmpty else { return wait }
        let forAll = max(self.all?.wait(at: now) ?? .zero, (self.turn?.until ?? now) - now)
        wait = min(wait ?? forAll, forAll)
        return wait
    }

    private mutating func shorten() {
        guard self.served > 32, self.served > self.line.count / 2 else { return }
        self.line.removeFirst(self.served)
        self.served = 0
    }

    private static func changed(_ bucket: RateBucket?, _ rate: Int64?, at now: Duration) -> RateBucket? {
        guard let rate else { return nil }
        guard var bucket else { return RateBucket(rate: rate, at: now) }
        bucket.change(rate: rate, at: now)
        return bucket
    }
}
