// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the kernel says of this process, under the names that Prometheus clients have agreed on.
struct ProcessFigures: Sendable, Equatable {
    /// User and system time.
    var cpu: Duration
    var residentBytes: UInt64
    var virtualBytes: UInt64
    var threads: UInt64
    var openFiles: UInt64
    var maximumOpenFiles: UInt64
    /// Since 1970.
    var started: Duration

    /// Reads /proc: not on the loop, for there may be thousands of open files to count.
    ///
    /// Nil where the kernel doesn't say.
    @concurrent static func read() async -> Self? {
        guard let stat = Self.text("/proc/self/stat"), let machine = Self.text("/proc/stat"),
            let limits = Self.text("/proc/self/limits"),
            let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        return Self(
            stat: stat,
            machine: machine,
            limits: limits,
            openFiles: files.count,
            ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)),
            pageBytes: sysconf(Int32(_SC_PAGESIZE))
        )
    }

    /// From what proc(5) describes: /proc/self/stat, /proc/stat and /proc/self/limits.
    init?(stat: String, machine: String, limits: String, openFiles: Int, ticksPerSecond: Int, pageBytes: Int) {
        // The program's name, in brackets, may hold anything; the third field follows its last bracket.
        guard let bracket = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[stat.index(after: bracket)...].split(separator: " ").map { UInt64($0) }
        func field(_ number: Int) -> UInt64? { fields.count > number - 3 ? fields[number - 3] : nil }
        guard let user = field(14), let system = field(15), let threads = field(20), let started = field(22),
            let virtual = field(23), let resident = field(24),
            let boot = Self.value(after: "btime ", in: machine),
            let files = Self.value(after: "Max open files", in: limits)
        else { return nil }
        self.cpu = Self.time(user + system, ticksPerSecond)
        self.residentBytes = resident * UInt64(pageBytes)
        self.virtualBytes = virtual
        self.threads = threads
        self.openFiles = UInt64(openFiles)
        self.maximumOpenFiles = files
        self.started = .seconds(boot) + Self.time(started, ticksPerSecond)
    }

    private static func time(_ ticks: UInt64, _ perSecond: Int) -> Duration {
        .milliseconds(Int64(ticks) * 1000 / Int64(max(perSecond, 1)))
    }

    /// The number behind a line's first words; "unlimited" is the largest there is.
    private static func value(after words: String, in text: String) -> UInt64? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(words) }),
            let word = line.dropFirst(words.count).split(separator: " ").first
        else { return nil }
        return word == "unlimited" ? .max : UInt64(word)
    }

    private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
}
