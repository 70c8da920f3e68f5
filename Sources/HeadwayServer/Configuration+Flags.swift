// SPDX-License-Identifier: Apache-2.0

import CurlTransfers

extension Configuration {
    /// One thing that can be set: by a flag, or by the environment.
    private struct Option {
        let flag: String
        /// The word that stands for its value in the help; nil where the flag alone says it.
        let value: String?
        let help: String
        let take: @Sendable (inout Configuration, String) throws(UsageError) -> Void

        var variable: String {
            "HEADWAY_" + String(self.flag.dropFirst(2).map { $0 == "-" ? "_" : Character($0.uppercased()) })
        }
    }

    /// Reads flags, and behind them the environment; what neither says keeps its default.
    ///
    /// - Throws: `UsageError` that names the flag or variable, its value, and what would be right.
    package init(flags: [String], environment: [String: String]) throws(UsageError) {
        self.init()
        for option in Self.options {
            guard let text = environment[option.variable], !text.isEmpty else { continue }
            // Flags that may be repeated take a list from the environment.
            let values = option.help.contains("(repeatable)") ? text.split(separator: ",").map(String.init) : [text]
            for value in values {
                try Self.naming(option.variable) { () throws(UsageError) in try option.take(&self, value) }
            }
        }
        var rest = flags[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = Self.options.first(where: { $0.flag == parts[0] }) else {
                throw UsageError("\(parts[0]) is not a flag of headway serve; headway serve --help lists them")
            }
            var value = parts.count > 1 ? parts[1] : nil
            if option.value == nil {
                value = value ?? "yes"
            } else if value == nil {
                value = rest.popFirst()
            }
            guard let value, !value.isEmpty else {
                throw UsageError("\(option.flag) needs a value: \(option.value ?? "")")
            }
            try Self.naming(option.flag) { () throws(UsageError) in try option.take(&self, value) }
        }
        guard self.isLoopback || self.allowsAnyone else {
            throw UsageError(
                "--listen \(self.address) can be reached by others, and there is no sign-in yet: "
                    + "add --allow-anyone if everybody there may use it, or listen on 127.0.0.1"
            )
        }
    }

    /// What `headway serve --help` prints.
    package static var help: String {
        let lines = Self.options.map { option in
            let flag = option.value.map { option.flag + " " + $0 } ?? option.flag
            let space = String(repeating: " ", count: max(1, 27 - flag.count))
            return "  \(flag)\(space)\(option.help)"
        }
        return """
            Moves files and tells everyone who is connected how far it has got.

            usage: headway serve [flags]

            \(lines.joined(separator: "\n"))
              --help                     this text

            Each flag may also be set in the environment: --max-active as HEADWAY_MAX_ACTIVE, and so on;
            repeatable ones as a list with commas. A flag beats the environment.

            example: headway serve --listen 127.0.0.1:9000 --data /srv/headway
            """
    }

    private static func naming(_ name: String, _ body: () throws(UsageError) -> Void) throws(UsageError) {
        do { try body() } catch { throw UsageError("\(name): \(error.description)") }
    }

    private static func number(_ text: String, in range: ClosedRange<Int>, unit: String) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("\"\(text)\" is not a number of \(unit) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static let options: [Option] = [
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

    /// Bytes, or with `k`, `M`, `G` or `T` behind it thousands, millions and so on of them.
    private static func size(_ text: String) throws(UsageError) -> Int64 {
        let powers: [Character: Int64] = ["k": 1000, "M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000]
        let power = text.last.flatMap { powers[$0] }
        let digits = power == nil ? text : String(text.dropLast())
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(digits),
            case let (bytes, overflows) = number.multipliedReportingOverflow(by: power ?? 1),
            !overflows, bytes < 1 << 53
        else { throw UsageError("\"\(text)\" is not a size; write it as bytes, or like 500M or 2G") }
        return bytes
    }

    private static func flag(_ text: String) throws(UsageError) -> Bool {
        switch text {
        case "yes", "true", "1": return true
        case "no", "false", "0": return false
        default: throw UsageError("\"\(text)\" is neither yes nor no")
        }
    }

    /// An origin as browsers send it: no path, and no port where it is the usual one (RFC 6454 §6.2).
    private static func origin(_ text: String) throws(UsageError) -> String {
        let lower = text.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }),
            case let host = lower.dropFirst(scheme.count), !host.isEmpty,
            host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-:[]".contains($0)) })
        else { throw UsageError("\"\(text)\" is not an origin; write it like https://example.org, without a path") }
        return lower
    }

    private static func endpoint(_ text: String) throws(UsageError) -> (String, UInt16) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw UsageError("\"\(text)\" is not ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" { host = "127.0.0.1" }
        guard IPAddress(host) != nil else {
            throw UsageError(
                "\"\(host)\" is not an IP address; listen on 127.0.0.1, ::1, 0.0.0.0 or one of this machine's"
            )
        }
        return (host, port)
    }
}
