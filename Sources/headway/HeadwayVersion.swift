// SPDX-License-Identifier: Apache-2.0

/// Which version this is.
enum HeadwayVersion {
    static let current = "0.1.0"
}
