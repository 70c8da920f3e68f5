// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import TransferStorage

/// The kernel's files with a test in between: it hears of every call that changes something, and may let it fail.
final class ScriptedFiles: FileLayer {
    struct State {
        var calls: [String] = []
        var closed: [String] = []
        var names: [Int32: String] = [:]
        /// Asked before each call that is told.
        var verdict: (@Sendable (_ call: String, _ number: Int) -> ErrorNumber?)?
        var largestWrite = Int.max
        var reads = 0
        var interruptsEverySecond = false
        var parity = false
    }

    let kernel = KernelFiles()
    let state = Locked(State())

    var calls: [String] { self.state.withLock { $0.calls } }

    /// A step that is not a call on files.
    func note(_ call: String) throws(ErrorNumber) {
        let (verdict, number) = self.state.withLock { state in
            state.calls.append(call)
            return (state.verdict, state.calls.count)
        }
        if let error = verdict?(call, number) { throw error }
    }

    /// Forgets what was told and asks from now on.
    func begin(_ verdict: (@Sendable (String, Int) -> ErrorNumber?)? = nil) {
        self.state.withLock {
            $0.calls = []
            $0.verdict = verdict
        }
    }

    /// As if the process ended before the n-th call from now on.
    func stop(before step: Int) {
        self.begin { _, number in number >= step ? ErrorNumber(EIO) : nil }
    }

    private func name(_ descriptor: Int32) -> String { self.state.withLock { $0.names[descriptor] ?? "?" } }

    private func interrupt() throws(ErrorNumber) {
        let interrupts = self.state.withLock { state in
            state.parity.toggle()
            return state.interruptsEverySecond && state.parity
        }
        if interrupts { throw ErrorNumber(EINTR) }
    }

    func open(_ name: String, in folder: Int32, flags: Int32, mode: UInt32) throws(ErrorNumber) -> Int32 {
        if flags & O_CREAT != 0 { try self.note("create \(name)") }
        let descriptor = try self.kernel.open(name, in: folder, flags: flags, mode: mode)
        self.state.withLock { $0.names[descriptor] = name }
        return descriptor
    }

    func close(_ descriptor: Int32) {
        self.state.withLock { $0.closed.append($0.names.removeValue(forKey: descriptor) ?? "?") }
        self.kernel.close(descriptor)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64) throws(ErrorNumber) -> Int {
        try self.interrupt()
        try self.note("write \(self.name(descriptor))")
        let count = min(bytes.count, self.state.withLock { $0.largestWrite })
        return try unsafe self.kernel.write(
            UnsafeRawBufferPointer(rebasing: bytes[..<count]),
            to: descriptor,
            at: offset
        )
    }

    func read(
        into bytes: UnsafeMutableRawBufferPointer,
        from descriptor: Int32,
        at offset: Int64
    ) throws(ErrorNumber) -> Int {
        try self.interrupt()
        self.state.withLock { $0.reads += 1 }
        return try unsafe self.kernel.read(into: bytes, from: descriptor, at: offset)
    }

    func truncate(_ descriptor: Int32, to size: Int64) throws(ErrorNumber) {
        try self.interrupt()
        try self.note("truncate \(self.name(descriptor))")
        try self.kernel.truncate(descriptor, to: size)
    }

    func syncData(_ descriptor: Int32) throws(ErrorNumber) {
        try self.interrupt()
        try self.note("sync \(self.name(descriptor))")
        try self.kernel.syncData(descriptor)
    }

    func syncFolder(_ descriptor: Int32) throws(ErrorNumber) {
        try self.note("sync folder \(self.name(descriptor))")
        try self.kernel.syncFolder(descriptor)
    }

    func rename(_ name: String, in folder: Int32, to newName: String, in newFolder: Int32) throws(ErrorNumber) {
        try self.note("rename \(name) to \(newName)")
        try self.kernel.rename(name, in: folder, to: newName, in: newFolder)
    }

    func unlink(_ name: String, in folder: Int32) throws(ErrorNumber) {
        try self.note("unlink \(name)")
        try self.kernel.unlink(name, in: folder)
    }

    func makeFolder(_ name: String, in folder: Int32, mode: UInt32) throws(ErrorNumber) {
        try self.kernel.makeFolder(name, in: folder, mode: mode)
    }

    func status(of descriptor: Int32) throws(ErrorNumber) -> FileStatus {
        try self.interrupt()
        return try self.kernel.status(of: descriptor)
    }

    func status(of name: String, in folder: Int32) throws(ErrorNumber) -> FileStatus {
        try self.kernel.status(of: name, in: folder)
    }

    func names(in folder: Int32) throws(ErrorNumber) -> [String] { try self.kernel.names(in: folder) }
    func freeBytes(_ descriptor: Int32) throws(ErrorNumber) -> Int64 { try self.kernel.freeBytes(descriptor) }
    func lock(_ descriptor: Int32) throws(ErrorNumber) { try self.kernel.lock(descriptor) }
}
