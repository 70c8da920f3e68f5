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
        .number("--max-active", "N", in: 1...1000, unit: "downloads", help: "downloads that run at once (4)") {
            $0.maximumActive = $1
        },
        .number("--max-per-host", "N", in: 1...1000, unit: "downloads", help: "of them from one host (2)") {
            $0.maximumPerHost = $1
        },
        Option(flag: "--max-rate", value: "BYTES", help: "a second of all of them together, as 500k or 2M (any)") {
            configuration,
            text throws(UsageError) in
            let rate = try Self.size(text)
            configuration.maximumRate = rate == 0 ? nil : rate
        },
        .number(
            "--max-upload",
            "BYTES",
            in: 0...1 << 50,
            unit: "bytes",
            help: "the largest upload that is taken (any size)"
        ) {
            $0.maximumUpload = Int64($1)
        },
        Option(flag: "--max-store", value: "SIZE", help: "all files together, as 500M or 2G (as the disk has)") {
            configuration,
            text throws(UsageError) in
            configuration.maximumStore = try Self.size(text)
        },
        .number(
            "--upload-silence",
            "S",
            in: 1...86_400,
            unit: "seconds",
            help: "seconds that nothing may come of an upload's body (60)"
        ) {
            $0.uploadSilence = Int64($1)
        },
        .number(
            "--upload-rate",
            "BYTES",
            in: 0...1 << 40,
            unit: "bytes a second",
            help: "least bytes a second of an upload, over 30 s (100)"
        ) {
            $0.uploadMinimumRate = Int64($1)
        },
        .number(
            "--upload-life",
            "S",
            in: 1...31_536_000,
            unit: "seconds",
            help: "seconds that an upload waits to be gone on with (86400)"
        ) {
            $0.uploadLifetime = Int64($1)
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
        .number(
            "--retry-attempts",
            "N",
            in: 1...1000,
            unit: "attempts",
            help: "attempts in a row without progress before it fails (10)"
        ) {
            $0.retryAttempts = $1
        },
        .number(
            "--retry-first",
            "MS",
            in: 1...600_000,
            unit: "milliseconds",
            help: "the first wait is drawn from 0 up to this, then doubled (1000)"
        ) {
            $0.firstRetry = Int64($1)
        },
        .number(
            "--retry-limit",
            "MS",
            in: 1...86_400_000,
            unit: "milliseconds",
            help: "no wait is drawn from more than this (60000)"
        ) {
            $0.longestRetry = Int64($1)
        },
        .number(
            "--stall-limit",
            "MS",
            in: 1000...3_600_000,
            unit: "milliseconds",
            help: "without a byte for so long a connection is broken (30000)"
        ) {
            $0.stallLimit = Int64($1)
        },
        .number(
            "--min-rate",
            "BYTES",
            in: 0...1_000_000_000,
            unit: "bytes",
            help: "and so it is below so many a second over that time (100; 0 = any)"
        ) {
            $0.minimumRate = Int64($1)
        },
        .number(
            "--tick",
            "MS",
            in: 20...1000,
            unit: "milliseconds",
            help: "milliseconds between samples of the figures (100)"
        ) {
            $0.tick = Int64($1)
        },
        .number(
            "--heartbeat",
            "MS",
            in: 500...60_000,
            unit: "milliseconds",
            help: "milliseconds between signs of life for each viewer (10000)"
        ) {
            $0.heartbeat = Int64($1)
        },
        .number(
            "--task-lease",
            "S",
            in: 1...86_400,
            unit: "seconds",
            help: "seconds without a report until a task counts as interrupted (60)"
        ) {
            $0.workLease = .seconds($1)
        },
        Option(flag: "--on-complete", value: "CMD", help: "a program that is run, without a shell, after each end") {
            $0.onComplete = $1
        },
        .number("--on-complete-timeout", "S", in: 1...86_400, unit: "seconds", help: "seconds that it may take (60)") {
            $0.onCompleteTimeout = Int64($1)
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
