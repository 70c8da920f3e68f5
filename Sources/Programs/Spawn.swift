// SPDX-License-Identifier: Apache-2.0

import CPrograms
import Glibc

/// How a program is started so that it has nothing of ours: neither open files nor signals nor our group of processes.
enum Spawn {
    /// The kernel's number for why it could not be started.
    struct Failure: Error {
        let code: Int32
    }

    /// Starts it with nothing to read, and with what it writes going to `output`.
    static func start(_ program: Program, output: Int32) throws(Failure) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        try Self.check(unsafe posix_spawn_file_actions_init(&actions))
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        try Self.check(unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0))
        try Self.check(unsafe posix_spawn_file_actions_adddup2(&actions, output, 1))
        try Self.check(unsafe posix_spawn_file_actions_adddup2(&actions, output, 2))
        // Close-on-exec is for each opener to remember; this forgets none.
        try Self.check(unsafe headway_spawn_close_from(&actions, 3))

        var attributes = posix_spawnattr_t()
        try Self.check(unsafe posix_spawnattr_init(&attributes))
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        try Self.check(unsafe posix_spawnattr_setsigmask(&attributes, &signals))
        unsafe sigfillset(&signals)
        try Self.check(unsafe posix_spawnattr_setsigdefault(&attributes, &signals))
        // A group of its own, so that what it starts in turn can be ended with it.
        try Self.check(unsafe posix_spawnattr_setpgroup(&attributes, 0))
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        try Self.check(unsafe posix_spawnattr_setflags(&attributes, Int16(flags)))

        var pid: pid_t = 0
        let environment = program.environment.map { "\($0.key)=\($0.value)" }.sorted()
        let status = unsafe Self.withCStrings([program.path]) { arguments in
            unsafe Self.withCStrings(environment) { environment in
                unsafe posix_spawn(&pid, program.path, &actions, &attributes, arguments, environment)
            }
        }
        try Self.check(status)
        return pid
    }

    private static func check(_ status: Int32) throws(Failure) {
        guard status == 0 else { throw Failure(code: status) }
    }

    /// The strings as C wants a list of them: ended by a null pointer.
    private static func withCStrings<Answer>(
        _ strings: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Answer
    ) -> Answer {
        var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(&pointers)
    }
}

extension Spawn.Failure {
    /// A clause that says it to a person.
    var words: String {
        switch self.code {
        case ENOENT: "it does not exist, or its interpreter does not"
        case EACCES, EPERM: "permission denied"
        case ENOEXEC: "it is no program for this machine, and does not begin with #!"
        case ETXTBSY: "somebody is writing it"
        case E2BIG: "there is too much to tell it"
        case EAGAIN: "there are too many processes"
        case ENOMEM: "there is no memory for it"
        case EMFILE, ENFILE: "too many files are open"
        default: "the system reports error \(self.code)"
        }
    }
}
