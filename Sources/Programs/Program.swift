// SPDX-License-Identifier: Apache-2.0

/// A program as it is to run: nothing of ours but what is named here.
package struct Program: Sendable, Equatable {
    /// Where it is; no shell and no search along `PATH` comes between.
    package var path: String
    /// All of its environment.
    package var environment: [String: String]
    /// How long it may take; then it is asked to end.
    package var limit: Duration
    /// How long it may take for that; then it is ended.
    package var patience: Duration = .seconds(5)

    package init(path: String, environment: [String: String], limit: Duration) {
        self.path = path
        self.environment = environment
        self.limit = limit
    }
}
