// SPDX-License-Identifier: Apache-2.0

/// How many connections there are, for metrics.
package struct ConnectionCounts: Sendable, Equatable {
    package var open = 0
    package var webSockets = 0
    package var eventStreams = 0
    /// Since the start.
    package var accepted = 0
    /// Turned away since the start: at the limit, or without a file descriptor.
    package var refused = 0
    package var requests = 0
    /// Requests whose body is too long.
    package var refusedBodies = 0
    /// Cut off because they took nothing for `stalledAfter`.
    package var stalled = 0
    /// WebSockets that answered no ping.
    package var silent = 0
    /// WebSockets that were closed because a message is binary or too long.
    package var invalid = 0

    package init() {}
}
