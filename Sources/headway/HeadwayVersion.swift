// SPDX-License-Identifier: Apache-2.0

import HeadwayServer

/// Which version this is.
enum HeadwayVersion {
    static let current = headwayVersion
}
