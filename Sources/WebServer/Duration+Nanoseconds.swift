// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Never negative, and at most a few hundred years.
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = self.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1_000_000_000 else { return 1_000_000_000_000_000_000 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
