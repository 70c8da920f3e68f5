// SPDX-License-Identifier: Apache-2.0

/// What to fetch, and how patiently.
package struct DownloadRequest: Sendable {
    /// `http` or `https`.
    ///
    /// A name and password in it are used and never told.
    package var url: String
    package var headers: [(name: String, value: String)]
    /// Where to go on; 0 for the whole file.
    package var offset: Int64
    /// The validator of what is there already, sent as `If-Range` when `offset` is above 0.
    package var ifRange: String?
    /// How long nothing may move: no connection, no complete head, no byte of the body.
    package var stallTimeout: Duration
    /// The floor in bytes per second over each `minimumRateWindow` once the body has begun; 0 = off.
    package var minimumRate: Int64
    package var minimumRateWindow: Duration
    /// How many bytes of the file may move per second; nil = any.
    package var maximumRate: Int64?
    /// What is sent; nil for a download.
    ///
    /// A request that sends something follows no redirect: whether everything is sent again is not libcurl's to decide.
    package var body: RequestBody?

    package init(
        url: String,
        headers: [(name: String, value: String)] = [],
        offset: Int64 = 0,
        ifRange: String? = nil,
        stallTimeout: Duration = .seconds(30),
        minimumRate: Int64 = 0,
        minimumRateWindow: Duration = .seconds(30)
    ) {
        self.url = url
        self.headers = headers
        self.offset = offset
        self.ifRange = ifRange
        self.stallTimeout = stallTimeout
        self.minimumRate = minimumRate
        self.minimumRateWindow = minimumRateWindow
    }
}
