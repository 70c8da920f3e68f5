// SPDX-License-Identifier: Apache-2.0

/// Where the bytes are of a transfer that was *finishing* when the server ended.
package enum Adoption: Sendable, Equatable {
    /// Under the final name, durably. Next: commit *succeeded*.
    case published
    /// Still in the part file, whole. Next: go on from the rename.
    case partIsThere
    /// Nowhere. Next: start again, and say so.
    case neither
}
