// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The time of day, for what people read and for keys that expire; durations are measured elsewhere.
package enum WallClock {
    /// Milliseconds since 1970.
    package static func milliseconds() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
