// SPDX-License-Identifier: Apache-2.0

/// The rule for a part file that an earlier run left.
package enum Recovery {
    /// How many of its first bytes can be trusted; the rest is to be cut.
    ///
    /// While the kernel is the same, its page cache has lived on, and all that was written is there. After another boot
    /// only what was made durable is sure.
    package static func kept(
        partSize: Int64?,
        durableOffset: Int64,
        bootID: String,
        currentBootID: String = kernelBootID()
    ) -> Int64 {
        guard let partSize else { return 0 }
        guard bootID.isEmpty || bootID != currentBootID else { return partSize }
        return min(max(durableOffset, 0), partSize)
    }
}
