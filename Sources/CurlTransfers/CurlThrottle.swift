// SPDX-License-Identifier: Apache-2.0

/// The limits of the rate, by a clock: what runs asks here before each piece.
///
/// Curl thread only.
final class CurlThrottle {
    private var shares = RateShares<DownloadHandle>()
    private let begin = SuspendingClock.now

    private var now: Duration { SuspendingClock.now - self.begin }

    /// Whether it has to ask.
    func isLimited(_ handle: DownloadHandle) -> Bool { self.shares.isLimited(handle) }

    func limitAll(to rate: Int64?) { self.shares.limitAll(rate, at: self.now) }

    func limit(_ handle: DownloadHandle, to rate: Int64?) { self.shares.limit(handle, rate, at: self.now) }

    func remove(_ handle: DownloadHandle) { self.shares.remove(handle) }

    /// False: it has to wait until it is let go on.
    func mayMove(_ handle: DownloadHandle) -> Bool { self.shares.mayMove(handle, at: self.now) }

    func moved(_ handle: DownloadHandle, _ bytes: Int) { self.shares.moved(handle, bytes, at: self.now) }

    func endTurn(of handle: DownloadHandle) { self.shares.endTurn(of: handle) }

    /// Names all whose time has come.
    ///
    /// Meanwhile they move, which may use up the limit for those behind them.
    func letGoOn(_ go: (DownloadHandle) -> Void) {
        let now = self.now
        self.shares.ready(at: now).forEach(go)
        while let handle = self.shares.next(at: now) { go(handle) }
    }

    /// Whole milliseconds until somebody may go on; nil when nobody waits for it.
    var milliseconds: Int64? {
        guard let (seconds, attoseconds) = self.shares.wait(at: self.now)?.components else { return nil }
        return min(seconds, 1 << 20) * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
