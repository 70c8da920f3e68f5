// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// What the command tells the shell.
enum ExitStatus {
    static let succeeded: Int32 = 0
    /// The transfer failed or was called off, or the server refused it.
    static let failed: Int32 = 1
    /// No server answers.
    static let unreachable: Int32 = 2
    /// The command line makes no sense: sysexits(3).
    static let usage: Int32 = 64

    /// Ended by a signal, as a shell would say it: 130 for Ctrl-C.
    static func ended(by signal: Int32) -> Int32 { 128 + signal }

    /// The status of a problem that ended the command.
    static func of(_ problem: Problem) -> Int32 {
        switch problem.code {
        case .remoteUnreachable, .remoteTimeout, .remoteProtocol, .tls, .interrupted: Self.unreachable
        default: Self.failed
        }
    }
}
