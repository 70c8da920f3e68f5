// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a program writes into, and we read from.
///
/// On the run's thread alone.
struct OutputPipe: ~Copyable {
    /// The most that a reader takes at once, and of what is left at the end: a pipe's room.
    private static let size = 65_536

    private(set) var writingEnd: Int32
    private var readingEnd: Int32
    private var buffer = [UInt8](repeating: 0, count: Self.size)
    private var restMilliseconds: Int32 = 1

    init() throws(Spawn.Failure) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw Spawn.Failure(code: errno) }
        (self.readingEnd, self.writingEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        for end in [self.readingEnd, self.writingEnd] where end >= 0 { close(end) }
    }

    /// Only the program is to hold it: else its end would not be the pipe's.
    mutating func closeWritingEnd() {
        close(self.writingEnd)
        self.writingEnd = -1
    }

    /// Gives what has come, or waits for something at most so long.
    mutating func read(waiting limit: Duration, _ take: (ArraySlice<UInt8>) -> Void) {
        let milliseconds = Int32(limit.components.seconds * 1000 + limit.components.attoseconds / 1_000_000_000_000_000)
        guard self.readingEnd >= 0 else {
            // Nobody writes any more: its end is near, most of the time.
            usleep(UInt32(self.restMilliseconds) * 1000)
            self.restMilliseconds = min(self.restMilliseconds * 2, milliseconds)
            return
        }
        if self.isReadable(within: milliseconds), let count = self.take(take), count == 0 {
            close(self.readingEnd)
            self.readingEnd = -1
        }
    }

    /// Gives what has come, and waits for nothing.
    mutating func drain(_ take: (ArraySlice<UInt8>) -> Void) {
        var left = Self.size
        while left > 0, self.readingEnd >= 0, self.isReadable(within: 0), let count = self.take(take), count > 0 {
            left -= count
        }
    }

    private func isReadable(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: self.readingEnd, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) == 1
    }

    /// How much came; 0 at the end, nil when a signal came instead.
    private mutating func take(_ take: (ArraySlice<UInt8>) -> Void) -> Int? {
        let descriptor = self.readingEnd
        let count = unsafe self.buffer.withUnsafeMutableBytes {
            unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        guard count >= 0 else { return errno == EINTR || errno == EAGAIN ? nil : 0 }
        if count > 0 { take(self.buffer[..<count]) }
        return count
    }
}
