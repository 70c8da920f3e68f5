// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// A creation under way: who comes with the same key meanwhile waits for it.
struct Creation {
    let fingerprint: String
    let task: Task<Result<Coordinator.Created, Problem>, Never>
}
