// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import Programs
import TestSupport
import Testing

// One at a time: while one test's child is not yet the program, it holds open what another test is writing.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ProgramRunTests {
    @Test func `it has its status and its lines`() async throws {
        let script = try Script("echo one; echo two >&2; printf three; exit 7")
        #expect(await script.run() == .exited(status: 7))
        #expect(script.lines == ["one", "two", "three"])
    }

    @Test func `its environment is what it is given, and nothing of ours`() async throws {
        unsafe setenv("HEADWAY_TEST_SECRET", "1", 1)
        let script = try Script("/usr/bin/env")
        #expect(
            await script.run(environment: ["A": "b c", "EMPTY": "", "ODD": "$(id) `id` 'x\" \\"]) == .exited(status: 0)
        )
        let ours = Set(["A=b c", "EMPTY=", "ODD=$(id) `id` 'x\" \\"])
        // The shell adds what it likes: where it is, and itself.
        #expect(ours.isSubset(of: script.lines))
        #expect(
            script.lines.allSatisfy { ours.contains($0) || ["PWD", "_", "SHLVL", "OLDPWD"].contains(Self.name($0)) }
        )
    }

    private static func name(_ line: String) -> String {
        String(line.prefix { $0 != "=" })
    }

    @Test func `it gets no file of ours, nothing to read, and no argument`() async throws {
        // Not even those that were opened without a word about programs.
        let held = dup(1)
        defer { close(held) }
        let script = try Script("ls /proc/$$/fd; readlink /proc/$$/fd/0; cat; echo $#")
        #expect(await script.run() == .exited(status: 0))
        // 0, 1, 2, and what the shell reads the script by.
        let files = script.lines.prefix { Int($0) != nil }
        #expect(
            files.count <= 4 && files.allSatisfy { ["0", "1", "2", "10", "255", "3"].contains($0) },
            "\(script.lines)"
        )
        #expect(script.lines.suffix(2) == ["/dev/null", "0"])
    }

    @Test func `it has no signal blocked or ignored, and a group of its own`() async throws {
        let before = signal(SIGHUP, SIG_IGN)
        defer { signal(SIGHUP, before) }
        let script = try Script("grep -E '^Sig(Blk|Ign)' /proc/self/status; ps -o pgid= -p $$ | tr -d ' '; echo $$")
        #expect(await script.run() == .exited(status: 0))
        for line in script.lines.prefix(2) {
            // Beyond 31 are glibc's own two, which it has ignored in what it starts.
            let mask = try #require(line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) })
            #expect(mask & 0x7FFF_FFFF == 0, "\(line)")
        }
        #expect(script.lines.count == 4 && script.lines[2] == script.lines[3], "\(script.lines)")
    }

    @Test func `one that takes too long is asked to end, and others of its group with it`() async throws {
        let script = try Script("sleep 600 & echo $!; trap 'echo asked; exit 0' TERM; echo ready; wait")
        #expect(await script.run(limit: .seconds(5)) == .timedOut)
        #expect(script.lines.dropFirst() == ["ready", "asked"])
        let child = try #require(script.lines.first.flatMap { pid_t($0) })
        #expect(await Self.isGone(child))
    }

    @Test func `one that does not listen is ended`() async throws {
        let script = try Script("trap '' TERM; echo ready; while :; do sleep 1; done")
        let began = ContinuousClock.now
        #expect(await script.run(limit: .seconds(5), patience: .milliseconds(500)) == .timedOut)
        #expect(ContinuousClock.now - began < .seconds(30))
        #expect(script.lines == ["ready"])
    }

    @Test func `a child that holds the pipe is not waited for`() async throws {
        let script = try Script("sleep 600 & echo $!")
        let began = ContinuousClock.now
        #expect(await script.run() == .exited(status: 0))
        #expect(ContinuousClock.now - began < .seconds(30))
        // It was meant to stay.
        let child = try #require(script.lines.first.flatMap { pid_t($0) })
        #expect(kill(child, 0) == 0)
        kill(child, SIGKILL)
    }

    @Test func `a child that goes on writing is not waited for either`() async throws {
        let script = try Script("yes & echo $! >&2; exit 3")
        #expect(await script.run() == .exited(status: 3))
    }

    @Test func `what it writes without end costs a hundred lines`() async throws {
        let script = try Script("head -c 20000000 /dev/zero | tr '\\0' 'x'; echo; yes | head -n 500000; exit 5")
        #expect(await script.run() == .exited(status: 5))
        #expect(script.lines.count == 101)
        #expect(script.lines.first == String(repeating: "x", count: 1000) + "…")
        #expect(script.lines.last == "what it writes beyond 100 lines is left out")
    }

    @Test func `one that closes its output is waited for`() async throws {
        let script = try Script("exec >&- 2>&-; sleep 0.3; exit 9")
        #expect(await script.run() == .exited(status: 9))
    }

    @Test func `a stop waits for who is about to end, and ends the others`() async throws {
        let quick = try Script("echo ready; sleep 0.2; exit 4")
        let end = await quick.run { run in
            await quick.until("ready")
            run.stop(after: .seconds(60), patience: .seconds(60))
        }
        #expect(end == .exited(status: 4))
        let slow = try Script("echo ready; exec sleep 600")
        let stopped = await slow.run { run in
            await slow.until("ready")
            run.stop(after: .milliseconds(100), patience: .seconds(5))
        }
        #expect(stopped == .stopped)
    }

    @Test func `a signal of somebody else is told as such`() async throws {
        let script = try Script("kill -9 $$")
        #expect(await script.run() == .signalled(SIGKILL))
    }

    @Test func `what can't be started is told in words`() async throws {
        let none = try Script("", interpreter: "/nowhere/sh")
        #expect(await none.run() == .notRun("it does not exist, or its interpreter does not"))
        let text = try Script("")
        try text.directory.write(Array("just text".utf8), to: "script")
        #expect(await text.run() == .notRun("it is no program for this machine, and does not begin with #!"))
        let large = try Script("exit 0")
        #expect(
            await large.run(environment: ["X": String(repeating: "x", count: 1 << 20)])
                == .notRun("there is too much to tell it")
        )
    }

    @Test func `children of others are left to them`() async throws {
        var other: pid_t = 0
        let path = "/bin/sleep"
        var arguments = unsafe [strdup(path), strdup("0.1"), nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        #expect(unsafe posix_spawn(&other, path, nil, nil, &arguments, environ) == 0)
        let script = try Script("sleep 0.5")
        #expect(await script.run() == .exited(status: 0))
        var status: Int32 = -1
        #expect(unsafe waitpid(other, &status, 0) == other)
        #expect(status == 0)
    }

    /// Whether a process ends soon.
    private static func isGone(_ pid: pid_t) async -> Bool {
        for _ in 0..<1_000 {
            if kill(pid, 0) == -1, errno == ESRCH { return true }
            // Where nobody reaps orphans it stays as a zombie.
            if Self.stat(of: pid).contains(") Z ") { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// The kernel's line about a process.
    private static func stat(of pid: pid_t) -> String {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let file = unsafe open("/proc/\(pid)/stat", O_RDONLY)
        defer { close(file) }
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
