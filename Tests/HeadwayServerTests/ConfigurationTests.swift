// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadwayServer

@Suite struct ConfigurationTests {
    @Test func `no flag gives the defaults`() throws {
        let configuration = try Configuration(flags: [], environment: [:])
        #expect(configuration.address == "127.0.0.1")
        #expect(configuration.port == 8080)
        #expect(configuration.maximumActive == 4)
        #expect(configuration.maximumPerHost == 2)
        #expect(configuration.maximumRate == nil)
        #expect(configuration.tick == 100)
        #expect(configuration.retryAttempts == 10)
        #expect(configuration.firstRetry == 1000)
        #expect(configuration.longestRetry == 60_000)
        #expect(configuration.stallLimit == 30_000)
        #expect(configuration.minimumRate == 100)
        #expect(configuration.heartbeat == 10_000)
    }

    @Test func `flags are read in both forms`() throws {
        let configuration = try Configuration(
            flags: [
                "--listen", "[::1]:0", "--max-active=9", "--host", "Files.Example", "--host", "b", "--log", "json",
            ],
            environment: [:]
        )
        #expect(configuration.address == "::1")
        #expect(configuration.port == 0)
        #expect(configuration.maximumActive == 9)
        #expect(configuration.hosts == ["files.example", "b"])
        #expect(configuration.log == .json)
    }

    @Test func `a size has its power of a thousand behind it`() throws {
        for (text, bytes) in [("0", 0), ("5000", 5000), ("500M", 500_000_000), ("2G", 2_000_000_000)] as [(_, Int64)] {
            let configuration = try Configuration(flags: ["--keep-free", text], environment: [:])
            #expect(configuration.keptFree == bytes)
        }
        for text in ["M", "-1", "1.5G", "5 M", "9999999999T", "12m", "\u{0661}"] {
            #expect(throws: UsageError.self) { try Configuration(flags: ["--keep-free", text], environment: [:]) }
        }
    }

    @Test func `patience can be set`() throws {
        let flags = [
            "--retry-attempts", "3", "--retry-first=20", "--retry-limit=200", "--stall-limit=2500", "--min-rate=0",
        ]
        let configuration = try Configuration(flags: flags, environment: [:])
        #expect(configuration.retryAttempts == 3)
        #expect(configuration.firstRetry == 20)
        #expect(configuration.longestRetry == 200)
        #expect(configuration.stallLimit == 2500)
        #expect(configuration.minimumRate == 0)
    }

    @Test func `a program after each end, and its time, can be set`() throws {
        let configuration = try Configuration(
            flags: ["--on-complete-timeout", "5"],
            environment: ["HEADWAY_ON_COMPLETE": "/opt/after"]
        )
        #expect(configuration.onComplete == "/opt/after")
        #expect(configuration.onCompleteTimeout == 5)
        #expect(try Configuration(flags: [], environment: [:]).onComplete == nil)
        #expect(throws: UsageError.self) {
            try Configuration(flags: ["--on-complete-timeout", "0"], environment: [:])
        }
    }

    @Test func `a flag beats the environment, and the environment beats the default`() throws {
        let environment = ["HEADWAY_MAX_ACTIVE": "7", "HEADWAY_TICK": "50", "HEADWAY_ALLOW_NET": "10.0.0.0/8,::1/128"]
        let configuration = try Configuration(flags: ["--max-active", "3"], environment: environment)
        #expect(configuration.maximumActive == 3)
        #expect(configuration.tick == 50)
        #expect(configuration.allowedNetworks == ["10.0.0.0/8", "::1/128"])
    }

    @Test(arguments: [
        (["--listen", "8080"], "\"8080\" is not ADDRESS:PORT"),
        (["--listen", "example.org:80"], "\"example.org\" is not an IP address"),
        (["--listen", "127.0.0.1:99999"], "is not ADDRESS:PORT"),
        (["--max-active", "0"], "--max-active: \"0\" is not a number of downloads from 1 to 1000"),
        (["--tick", "fast"], "\"fast\" is not a number of milliseconds"),
        (["--heartbeat", "499"], "\"499\" is not a number of milliseconds from 500 to 60000"),
        (["--allow-net", "10.0.0.0/33"], "\"10.0.0.0/33\" is not a network"),
        (["--retry-attempts", "0"], "is not a number of attempts from 1 to 1000"),
        (["--stall-limit", "1"], "is not a number of milliseconds from 1000"),
        (["--min-rate", "fast"], "\"fast\" is not a number of bytes from 0"),
        (["--log", "xml"], "\"xml\" is neither text nor json"),
        (["--verbose"], "--verbose is not a flag"),
        (["--max-upload", "1GB"], "--max-upload: \"1GB\" is not a number of bytes"),
        (["--upload-silence", "0"], "\"0\" is not a number of seconds from 1 to 86400"),
        (["--allow-origin", "app.example"], "\"app.example\" is not an origin"),
        (["--allow-origin", "https://app.example/x"], "without a path"),
        (["--trust-proxy", "proxy"], "\"proxy\" is not a network"),
        (["--data"], "--data needs a value: DIR"),
        (["--host", "http://x/"], "\"http://x/\" is not a host name"),
        (["--listen", "0.0.0.0:80"], "--allow-anyone"),
    ])
    func `what is wrong is named, and what would be right`(flags: [String], words: String) {
        let error = #expect(throws: UsageError.self) { try Configuration(flags: flags, environment: [:]) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func `a wrong value in the environment names the variable`() {
        let error = #expect(throws: UsageError.self) {
            try Configuration(flags: [], environment: ["HEADWAY_TICK": "0"])
        }
        #expect(error?.description.hasPrefix("HEADWAY_TICK: \"0\"") == true)
    }

    @Test func `an address that others reach is fine once everybody may use it`() throws {
        let configuration = try Configuration(flags: ["--listen", "0.0.0.0:80", "--allow-anyone"], environment: [:])
        #expect(configuration.allowsAnyone)
    }

    @Test func `the help names every flag with its default`() {
        for word in ["--listen", "127.0.0.1:8080", "--data", "--allow-net", "milliseconds", "HEADWAY_MAX_ACTIVE"] {
            #expect(Configuration.help.contains(word))
        }
    }
}
