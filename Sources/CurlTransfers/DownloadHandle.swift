// SPDX-License-Identifier: Apache-2.0

/// Names one download of one engine; never used twice.
package struct DownloadHandle: Hashable, Sendable {
    let number: UInt64
}
