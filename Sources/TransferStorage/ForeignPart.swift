// SPDX-License-Identifier: Apache-2.0

/// Something among the part files that belongs to no transfer: kept, and shown to whoever looks after the server.
package struct ForeignPart: Sendable, Equatable {
    package var name: String
    package var size: Int64
    /// When it last changed, in milliseconds since 1970.
    package var modifiedAt: Int64
}
