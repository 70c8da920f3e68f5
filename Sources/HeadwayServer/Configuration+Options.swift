// SPDX-License-Identifier: Apache-2.0

import CurlTransfers

extension Configuration {
    /// All that can be set, in the order of the help.
    static let options: [Option] = [
        Option(flag: "--listen", value: "ADDRESS:PORT", help: "where to listen (127.0.0.1:8080; port 0 = any)") {
            configuration,
            text throws(UsageError) in
            (configuration.address, configuration.port) = try Self.endpoint(text)
        },
        Option(flag: "--data", value: "DIR", help: "database, part files and finished files (headway-data)") {
            $0.dataFolder = $1
        },
        Option(flag: "--web", value: "DIR", help: "the page (web)") { $0.webFolder = $1 },
        Option(flag: "--host", value: "NAME", help: "a name it may be called by, as in http://NAME (repeatable)") {
            configuration,
            text throws(UsageError) in
            guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }) else {
                throw UsageError("\"\(text)\" is not a host name; write it without a scheme and a port")
            }
            configuration.hosts.append(text.lowercased())
        },
        Option(flag: "--embed-from", value: "ORIGIN", help: "a site whose pages may show a transfer (repeatable)") {
            configuration,
            text throws(UsageError) in
            configuration.embedOrigins.append(try Self.origin(text))
        },
        Option(
            flag: "--allow-net",
            value: "CIDR",
            help: "a network that may be fetched from though it is not public (repeatable)"
        ) {
            configuration,
            text throws(UsageError) in
            guard AddressRange(text) != nil else {
                throw UsageError("\"\(text)\" is not a network; write it like 192.168.1.0/24 or ::1/128")
            }
            configuration.allowedNetworks.append(text)
        },
        Option(flag: "--max-active", value: "N", help: "downloads that run at once (4)") {
            configuration,
            text throws(UsageError) in
            configuration.maximumActive = try Self.number(text, in: 1...1000, unit: "downloads")
        },
        Option(flag: "--max-per-host", value: "N", help: "of them from one host (2)") {
            configuration,
            text throws(UsageError) in
            configuration.maximumPerHost = try Self.number(text, in: 1...1000, unit: "downloads")
        },
        Option(flag: "--max-rate", value: "BYTES", help: "a second of all of them together, as 500k or 2M (any)") {
            configuration,
            text throws(UsageError) in
            let rate = try Self.size(text)
            configuration.maximumRate = rate == 0 ? nil : rate
        },
        Option(flag: "--max-upload", value: "BYTES", help: "the largest upload that is taken (any size)") {
            configuration,
            text throws(UsageError) in
            configuration.maximumUpload = Int64(try Self.number(text, in: 0...1 << 50, unit: "bytes"))
        },
        Option(flag: "--max-store", value: "SIZE", help: "all files together, as 500M or 2G (as the disk has)") {
            configuration,
            text throws(UsageError) in
            configuration.maximumStore = try Self.size(text)
        },
        Option(flag: "--upload-silence", value: "S", help: "seconds that nothing may come of an upload's body (60)") {
            configuration,
            text throws(UsageError) in
            configuration.uploadSilence = Int64(try Self.number(text, in: 1...86_400, unit: "seconds"))
        },
        Option(flag: "--upload-rate", value: "BYTES", help: "least bytes a second of an upload, over 30 s (100)") {
            configuration,
            text throws(UsageError) in
            configuration.uploadMinimumRate = Int64(try Self.number(text, in: 0...1 << 40, unit: "bytes a second"))
        },
        Option(flag: "--upload-life", value: "S", help: "seconds that an upload waits to be gone on with (86400)") {
            configuration,
            text throws(UsageError) in
            configuration.uploadLifetime = Int64(try Self.number(text, in: 1...31_536_000, unit: "seconds"))
        },
        Option(
            flag: "--allow-origin",
            value: "ORIGIN",
            help: "pages of others that may use it, as https://app.example, or * (repeatable)"
        ) {
            configuration,
            text throws(UsageError) in
            let isOrigin = text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://")
            guard text == "*" || (isOrigin && text.split(separator: "/").count == 2 && !text.hasSuffix("/")) else {
                throw UsageError("\"\(text)\" is not an origin; write it like https://app.example, without a path")
            }
            configuration.allowedOrigins.append(text.lowercased())
        },
        Option(
            flag: "--trust-proxy",
            value: "CIDR",
            help: "proxies whose X-Forwarded-Proto, -Host and -Prefix count (repeatable)"
        ) {
            configuration,
            text throws(UsageError) in
            guard AddressRange(text) != nil else {
                throw UsageError("\"\(text)\" is not a network; write it like 192.168.1.0/24 or ::1/128")
            }
            configuration.trustedProxies.append(text)
        },
        Option(flag: "--digest", value: "sha-256|none", help: "what is made of each file; none saves its CPU (sha-256)")
        {
            configuration,
            text throws(UsageError) in
            guard text == "sha-256" || text == "none" else {
                throw UsageError("\"\(text)\" is neither sha-256 nor none")
            }
            configuration.makesDigests = text == "sha-256"
        },
        Option(flag: "--keep-free", value: "SIZE", help: "of the disk that downloads leave free, as 500M or 2G (64M)") {
            configuration,
            text throws(UsageError) in
            configuration.keptFree = try Self.size(text)
        },
        Option(flag: "--retry-attempts", value: "N", help: "attempts in a row without progress before it fails (10)") {
            configuration,
            text throws(UsageError) in
            configuration.retryAttempts = try Self.number(text, in: 1...1000, unit: "attempts")
        },
        Option(
            flag: "--retry-first",
            value: "MS",
            help: "the first wait is drawn from 0 up to this, then doubled (1000)"
        ) {
            configuration,
            text throws(UsageError) in
            configuration.firstRetry = Int64(try Self.number(text, in: 1...600_000, unit: "milliseconds"))
        },
        Option(flag: "--retry-limit", value: "MS", help: "no wait is drawn from more than this (60000)") {
            configuration,
            text throws(UsageError) in
            configuration.longestRetry = Int64(try Self.number(text, in: 1...86_400_000, unit: "milliseconds"))
        },
        Option(flag: "--stall-limit", value: "MS", help: "without a byte for so long a connection is broken (30000)") {
            configuration,
            text throws(UsageError) in
            configuration.stallLimit = Int64(try Self.number(text, in: 1000...3_600_000, unit: "milliseconds"))
        },
        Option(
            flag: "--min-rate",
            value: "BYTES",
            help: "and so it is below so many a second over that time (100; 0 = any)"
        ) {
            configuration,
            text throws(UsageError) in
            configuration.minimumRate = Int64(try Self.number(text, in: 0...1_000_000_000, unit: "bytes"))
        },
        Option(flag: "--tick", value: "MS", help: "milliseconds between samples of the figures (100)") {
            configuration,
            text throws(UsageError) in
            configuration.tick = Int64(try Self.number(text, in: 20...1000, unit: "milliseconds"))
        },
        Option(flag: "--heartbeat", value: "MS", help: "milliseconds between signs of life for each viewer (10000)") {
            configuration,
            text throws(UsageError) in
            configuration.heartbeat = Int64(try Self.number(text, in: 500...60_000, unit: "milliseconds"))
        },
        Option(
            flag: "--task-lease",
            value: "S",
            help: "seconds without a report until a task counts as interrupted (60)"
        ) {
            configuration,
            text throws(UsageError) in
            configuration.workLease = .seconds(try Self.number(text, in: 1...86_400, unit: "seconds"))
        },
        Option(flag: "--on-complete", value: "CMD", help: "a program that is run, without a shell, after each end") {
            $0.onComplete = $1
        },
        Option(flag: "--on-complete-timeout", value: "S", help: "seconds that it may take (60)") {
            configuration,
            text throws(UsageError) in
            configuration.onCompleteTimeout = Int64(try Self.number(text, in: 1...86_400, unit: "seconds"))
        },
        Option(flag: "--log", value: "text|json", help: "how lines on standard error look (text)") {
            configuration,
            text throws(UsageError) in
            guard let style = LogStyle(rawValue: text) else { throw UsageError("\"\(text)\" is neither text nor json") }
            configuration.log = style
        },
        Option(flag: "--allow-anyone", value: nil, help: "let everybody who can reach a public address use it") {
            configuration,
            text throws(UsageError) in
            configuration.allowsAnyone = try Self.flag(text)
        },
        Option(flag: "--ca-file", value: "FILE", help: "further certificate authorities for https, PEM") {
            $0.certificateAuthorities = $1
        },
        Option(flag: "--loop", value: "ev|poll", help: "how the loop waits (ev; poll where libev is missing)") {
            configuration,
            text throws(UsageError) in
            guard text == "ev" || text == "poll" else { throw UsageError("\"\(text)\" is neither ev nor poll") }
            configuration.usesPoll = text == "poll"
        },
    ]
}
