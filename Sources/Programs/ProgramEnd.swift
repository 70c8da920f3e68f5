// SPDX-License-Identifier: Apache-2.0

/// How a program ended.
package enum ProgramEnd: Sendable, Equatable {
    /// By itself, with a status from 0 to 255.
    case exited(status: Int32)
    /// By a signal that we did not send.
    case signalled(Int32)
    /// It took longer than it may, and was ended.
    case timedOut
    /// We had no time for it any more, and ended it.
    case stopped
    /// It never ran, or nobody can say how it ended; the words are a clause: "permission denied".
    case notRun(String)

    /// From the number that waitpid(2) gives.
    init(waitStatus: Int32) {
        let signal = waitStatus & 0x7F
        self = signal == 0 ? .exited(status: waitStatus >> 8 & 0xFF) : .signalled(signal)
    }
}
