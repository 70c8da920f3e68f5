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
}
