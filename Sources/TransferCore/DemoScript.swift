// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// The script of a pretend transfer: how many bytes there are after so long, and how it ends.
///
/// It is a function of time without memory, so the same seed plays the same bytes, whenever and however often it is
/// asked. The speed wanders around the given rate; nothing ever runs backwards.
package struct DemoScript: Sendable, Equatable {
    /// How long a stall lasts: long enough that the rate is told as 0.
    package static let stall = Duration.seconds(4)
    /// How much the speed of one second may be off.
    private static let wander = 0.3

    /// Bytes of the pretended file.
    package let total: Int64
    /// Whether `total` is told only at the end.
    package let isTotalUnknown: Bool
    /// Where it fails; nil if it doesn't.
    package let failAt: Int64?

    private let rate: Int64
    private let seed: UInt64
    private let stallAt: Int64?
    private let stallBegins: Duration

    /// Makes the script; `seed` counts where the command names none.
    package init(_ demo: Command.Demo, seed: UInt64) {
        self.total = max(demo.total ?? 30_000_000, 0)
        self.rate = max(demo.rate ?? 3_000_000, 1)
        self.isTotalUnknown = demo.unknownTotal
        self.failAt = demo.failAt.flatMap { [total] in $0 <= total ? max($0, 0) : nil }
        self.stallAt = demo.stallAt.flatMap { [total] in $0 < total ? max($0, 0) : nil }
        self.seed = demo.seed.map { UInt64(bitPattern: $0) } ?? seed
        self.stallBegins = Self.moment(of: self.stallAt ?? 0, rate: self.rate, seed: self.seed)
    }

    /// How it ends if nobody interferes.
    package var outcome: Outcome { self.failAt == nil ? .succeeded : .failed }

    /// What is there after so long in `running`.
    package func bytes(at elapsed: Duration) -> Int64 {
        let end = self.failAt ?? self.total
        guard let stallAt = self.stallAt, elapsed > self.stallBegins else {
            return min(Self.position(at: elapsed, rate: self.rate, seed: self.seed), end)
        }
        guard elapsed > self.stallBegins + Self.stall else { return min(stallAt, end) }
        return min(max(Self.position(at: elapsed - Self.stall, rate: self.rate, seed: self.seed), stallAt), end)
    }

    /// The end, once it has been reached.
    package func end(at elapsed: Duration) -> FetchEnd? {
        let bytes = self.bytes(at: elapsed)
        guard let failAt = self.failAt else { return bytes == self.total ? .finished : nil }
        guard bytes == failAt else { return nil }
        return .failed(Problem(.interrupted, "The script ends here, after \(failAt) bytes"), retryAfter: nil)
    }

    /// The head that the pretended origin answers with.
    package func head(from offset: Int64) -> HeadVerdict {
        .take(
            HeadVerdict.Body(
                from: offset,
                total: self.isTotalUnknown ? nil : self.total,
                lengthIsFramed: true,
                validator: "\"demo\""
            )
        )
    }

    /// The position without stall and end: each second's end is moved a little, between them it runs evenly.
    private static func position(at elapsed: Duration, rate: Int64, seed: UInt64) -> Int64 {
        let milliseconds = max(elapsed.wholeMilliseconds, 0)
        let second = milliseconds / 1000
        let begin = Self.mark(second, seed)
        let part = Double(milliseconds % 1000) / 1000
        let seconds = begin + (Self.mark(second + 1, seed) - begin) * part
        return Int64(min(seconds * Double(rate), 0x1p62))
    }

    private static func mark(_ second: Int64, _ seed: UInt64) -> Double {
        guard second > 0 else { return 0 }
        let noise = Double(SplitMix64.mix(seed ^ SplitMix64.mix(UInt64(second))) >> 11) * 0x1p-53
        return Double(second) + (noise - 0.5) * Self.wander
    }

    /// The first millisecond at which so many bytes are there.
    private static func moment(of bytes: Int64, rate: Int64, seed: UInt64) -> Duration {
        var low: Int64 = 0
        var high = Int64(min(Double(bytes) / Double(rate) * 1000 + 2000, 0x1p52))
        while low < high {
            let middle = low + (high - low) / 2
            if Self.position(at: .milliseconds(middle), rate: rate, seed: seed) >= bytes {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return .milliseconds(low)
    }
}
