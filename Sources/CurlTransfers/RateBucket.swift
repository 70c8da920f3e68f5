// SPDX-License-Identifier: Apache-2.0

/// How many bytes may move in a time: a bucket that fills at a rate and may be overdrawn by one piece.
///
/// It is kept as the instant at which it is no longer overdrawn, so nothing has to be filled while nobody looks. Over any
/// window at most rate × time + `burst` move, as long as no piece is larger than `largestPiece`. It gets time, it never
/// asks for it.
struct RateBucket: Sendable, Equatable {
    /// Bytes that libcurl hands over at most at once (`CURL_MAX_WRITE_SIZE`), and that it is given at most.
    static let largestPiece: Int64 = 16 * 1024
    /// For how long what was not used may be saved up.
    static let memory = Duration.milliseconds(100)

    /// Bytes per second, 1 or more.
    private(set) var rate: Int64
    private var freeAt: Duration

    init(rate: Int64, at now: Duration) {
        self.rate = Self.possible(rate)
        self.freeAt = now
    }

    /// How much may come at once on top of the rate: a tenth of a second's, or one piece if that is more.
    var burst: Int64 { max(self.rate / 10, Self.largestPiece) }

    /// Whether a piece may move.
    func isOpen(at now: Duration) -> Bool { now >= self.freeAt }

    /// How long until one may; zero when it may.
    func wait(at now: Duration) -> Duration { max(self.freeAt - now, .zero) }

    /// So many bytes moved.
    mutating func take(_ bytes: Int, at now: Duration) {
        let saved = max(Self.memory - self.time(for: Self.largestPiece), .zero)
        self.freeAt = max(self.freeAt, now - saved) + self.time(for: Int64(bytes))
    }

    /// Another rate from now on: what is overdrawn is at most one piece of it.
    mutating func change(rate: Int64, at now: Duration) {
        self.rate = Self.possible(rate)
        self.freeAt = min(self.freeAt, now + self.time(for: Self.largestPiece))
    }

    /// Rounded up, so that many small pieces are not faster than the rate.
    private func time(for bytes: Int64) -> Duration {
        .nanoseconds((min(bytes, 1 << 30) * 1_000_000_000 + self.rate - 1) / self.rate)
    }

    private static func possible(_ rate: Int64) -> Int64 { min(max(rate, 1), 1 << 53) }
}
