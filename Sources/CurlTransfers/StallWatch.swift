// SPDX-License-Identifier: Apache-2.0

/// Decides when a download is stalled or too slow.
///
/// It gets time, it never asks for it.
struct StallWatch {
    private enum Phase: Equatable {
        /// libcurl's own limit for connecting fires first and has better words, so this one waits a little longer.
        case connecting
        /// Only a complete head counts: one that drips in line by line is a stall too.
        case awaitingHead
        /// Everything is sent, and the other side works on it.
        case awaitingVerdict(Duration)
        case body
    }

    private static let connectingGrace = Duration.seconds(1)

    private let timeout: Duration
    private let minimumRate: Int64
    private let window: Duration
    private var phase = Phase.connecting
    private var silence = Duration.zero
    /// True at the start, because a part of the first interval lies before it.
    private var hasMoved = true
    private var windowTime = Duration.zero
    private var windowBytes: Int64 = 0

    init(_ request: DownloadRequest) {
        self.timeout = request.stallTimeout
        self.minimumRate = request.minimumRate
        self.window = request.minimumRateWindow
    }

    mutating func connected() {
        self.phase = .awaitingHead
        self.hasMoved = true
    }

    mutating func sentAll(answerWithin timeout: Duration) {
        self.phase = .awaitingVerdict(timeout)
        self.hasMoved = true
    }

    mutating func redirected() {
        self.phase = .connecting
        self.hasMoved = true
    }

    mutating func headArrived() {
        self.phase = .body
        self.hasMoved = true
    }

    mutating func moved(_ bytes: Int) {
        self.hasMoved = true
        self.windowBytes += Int64(bytes)
    }

    /// We put it off ourselves.
    mutating func waited() {
        self.hasMoved = true
        self.silence = .zero
    }

    mutating func pass(_ time: Duration) -> DownloadEnd? {
        self.silence = self.hasMoved ? .zero : self.silence + time
        self.hasMoved = false
        let limit =
            switch self.phase {
            case .connecting: self.timeout + Self.connectingGrace
            case .awaitingVerdict(let timeout): timeout
            case .awaitingHead, .body: self.timeout
            }
        guard self.silence < limit else { return .stalled(after: self.silence) }
        return self.tooSlow(after: time)
    }

    private mutating func tooSlow(after time: Duration) -> DownloadEnd? {
        guard self.minimumRate > 0, self.phase == .body else { return nil }
        self.windowTime += time
        guard self.windowTime >= self.window else { return nil }
        defer {
            self.windowTime = .zero
            self.windowBytes = 0
        }
        guard Double(self.windowBytes) < Double(self.minimumRate) * (self.windowTime / .seconds(1)) else { return nil }
        guard self.windowBytes > 0 else { return .stalled(after: self.windowTime) }
        return .tooSlow(bytes: self.windowBytes, in: self.windowTime)
    }
}
