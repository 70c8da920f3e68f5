// SPDX-License-Identifier: Apache-2.0

/// Everything an operator can set; each flag also from the environment (`--max-active` is `HEADWAY_MAX_ACTIVE`).
package struct Configuration: Sendable {
    /// How lines of the log look.
    package enum LogStyle: String, Sendable, CaseIterable {
        /// For people.
        case text
        /// One JSON object a line.
        case json
    }

    /// The numeric address to listen on.
    package var address = "127.0.0.1"
    /// 0 = any that is free.
    package var port: UInt16 = 8080
    /// Holds the database, part files and finished files.
    package var dataFolder = "headway-data"
    /// Holds the page.
    package var webFolder = "web"
    /// Names under which the server may be called, besides `localhost` and IP addresses.
    package var hosts: [String] = []
    /// Pages of others that may show a transfer, as `scheme://host:port` in lower case.
    package var embedOrigins: [String] = []
    /// Networks that may be contacted though they are not public (CIDR).
    package var allowedNetworks: [String] = []
    /// Whether each file gets a digest, also where nobody asked for a checksum.
    package var makesDigests = true
    /// How many downloads run at once.
    package var maximumActive = 4
    /// How many of them from one host.
    package var maximumPerHost = 2
    /// Bytes of the disk that are left free: no download begins that would go below.
    package var keptFree: Int64 = 64_000_000
    /// Attempts in a row without progress before a download counts as failed.
    package var retryAttempts = 10
    /// Milliseconds below which the first wait for another attempt is drawn; doubled for each that follows.
    package var firstRetry: Int64 = 1000
    /// Milliseconds to which that grows.
    package var longestRetry: Int64 = 60_000
    /// Milliseconds without a byte after which a connection counts as broken.
    package var stallLimit: Int64 = 30_000
    /// Bytes per second that have to come on average of each `stallLimit`; 0 = any.
    package var minimumRate: Int64 = 100
    /// Bytes per second that downloads and pushes may move together; nil = any.
    package var maximumRate: Int64?
    /// Milliseconds between samples of the figures.
    package var tick: Int64 = 100
    /// Milliseconds between heartbeats.
    package var heartbeat: Int64 = 10_000
    /// How long a task may be without a report before it counts as interrupted.
    package var workLease = Duration.seconds(60)
    /// How lines of the log look.
    package var log = LogStyle.text
    /// Whether everybody who can reach a public address may use the server.
    package var allowsAnyone = false
    /// Whether the loop polls instead of using libev.
    package var usesPoll = false
    /// Further certificate authorities, PEM.
    package var certificateAuthorities: String?

    /// The largest file that is taken as an upload, in bytes; nil = any.
    package var maximumUpload: Int64?
    /// How many bytes all files and parts may have together; nil = as many as the disk has.
    package var maximumStore: Int64?
    /// How long nothing may come of an upload's body, in seconds.
    package var uploadSilence: Int64 = 60
    /// How many bytes a second an upload has to bring at least, over 30 s; 0 = any.
    package var uploadMinimumRate: Int64 = 100
    /// For how long an upload that stands still can be gone on with, in seconds.
    package var uploadLifetime: Int64 = 86_400
    /// The program that is told of each end: its path; nil = nobody is told.
    package var onComplete: String?
    /// How long it may take, in seconds.
    package var onCompleteTimeout: Int64 = 60
    /// Pages of other origins that may use the server.
    package var allowedOrigins: [String] = []
    /// Proxies whose `X-Forwarded-*` counts (CIDR).
    package var trustedProxies: [String] = []

    package init() {}

    /// Whether the address can be reached from this machine alone.
    package var isLoopback: Bool {
        self.address == "::1" || self.address.hasPrefix("127.")
    }
}

/// A flag or a value that can't be used: one line that names it and says what would be right.
package struct UsageError: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
