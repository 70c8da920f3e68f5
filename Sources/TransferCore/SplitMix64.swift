// SPDX-License-Identifier: Apache-2.0

/// A small generator whose whole state is one seed: the same seed, the same numbers.
///
/// For jitter, scripts and tests; not for secrets.
package struct SplitMix64: RandomNumberGenerator, Sendable, Equatable {
    private var state: UInt64

    package init(seed: UInt64) {
        self.state = seed
    }

    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(self.state)
    }

    /// A fraction from 0 up to, and without, 1.
    package mutating func fraction() -> Double {
        Double(self.next() >> 11) * 0x1p-53
    }

    /// Scatters a number over all 64 bits.
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
