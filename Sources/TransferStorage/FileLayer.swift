// SPDX-License-Identifier: Apache-2.0

/// Every way in which this room touches the file system, one system call each, so that a test can stand in between.
///
/// `KernelFiles` is the real one. Names are single components below an open folder; nothing here follows a symbolic link
/// at the end of a name. A call may be made from any thread, may write or read less than asked, and may be interrupted
/// (EINTR): those above it cope.
package protocol FileLayer: Sendable {
    func open(_ name: String, in folder: Int32, flags: Int32, mode: UInt32) throws(ErrorNumber) -> Int32
    func close(_ descriptor: Int32)
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64) throws(ErrorNumber) -> Int
    func read(into bytes: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int64) throws(ErrorNumber)
        -> Int
    func truncate(_ descriptor: Int32, to size: Int64) throws(ErrorNumber)
    /// Waits until the file's bytes and its size are durable.
    func syncData(_ descriptor: Int32) throws(ErrorNumber)
    /// Waits until the names in the folder are durable.
    func syncFolder(_ descriptor: Int32) throws(ErrorNumber)
    /// Gives a file another name; EEXIST if that is taken.
    func rename(_ name: String, in folder: Int32, to newName: String, in newFolder: Int32) throws(ErrorNumber)
    func unlink(_ name: String, in folder: Int32) throws(ErrorNumber)
    func makeFolder(_ name: String, in folder: Int32, mode: UInt32) throws(ErrorNumber)
    func status(of descriptor: Int32) throws(ErrorNumber) -> FileStatus
    func status(of name: String, in folder: Int32) throws(ErrorNumber) -> FileStatus
    func names(in folder: Int32) throws(ErrorNumber) -> [String]
    func freeBytes(_ descriptor: Int32) throws(ErrorNumber) -> Int64
    /// Takes the lock of a file without waiting; EWOULDBLOCK if somebody else has it.
    func lock(_ descriptor: Int32) throws(ErrorNumber)
}
