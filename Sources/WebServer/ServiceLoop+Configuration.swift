// SPDX-License-Identifier: Apache-2.0

extension ServiceLoop {
    /// How to listen, and every limit of a connection.
    package struct Configuration: Sendable {
        /// Numeric: "127.0.0.1", "::1", "0.0.0.0".
        package var host: String
        /// 0 takes any free one.
        package var port: UInt16
        /// Take the poll loop by name.
        ///
        /// Else libev, and poll where libev can't be loaded.
        package var usesPoll = false
        package var maximumConnections = 20_000
        /// Bytes of a request body that is handed over whole; a longer one is answered 413.
        package var bodyLimit = 65_536
        /// Bytes of one inbound WebSocket message; a longer one closes with 1009.
        package var messageLimit = 16_384
        /// Whether binary messages are handed over; else one closes with 1003.
        package var takesBinary = false
        /// How long a connection may hold a full socket without taking a byte.
        package var stalledAfter: Duration = .seconds(60)
        /// How long a WebSocket may say nothing before it is sent a ping.
        package var pingAfter: Duration = .seconds(20)
        /// How long a WebSocket may say nothing, pongs included, before it is taken for dead.
        package var silentAfter: Duration = .seconds(45)
        /// Lines for the log: control bytes escaped, equal ones held back.
        package var log: @Sendable (String) -> Void

        package init(host: String, port: UInt16, log: @escaping @Sendable (String) -> Void) {
            self.host = host
            self.port = port
            self.log = log
        }
    }
}
