// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One open file: its descriptor is closed when the last one who uses it lets go, never under somebody's hands.
///
/// Interrupted and short calls are gone on with here. Any thread may use it.
final class OpenFile: Sendable {
    let name: String
    private let descriptor: Int32
    private let layer: any FileLayer

    init(_ descriptor: Int32, name: String, layer: any FileLayer) {
        self.descriptor = descriptor
        self.name = name
        self.layer = layer
    }

    deinit {
        self.layer.close(self.descriptor)
    }

    /// Writes all bytes, or says how many it wrote before what went wrong.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> (count: Int, error: StorageError?) {
        var count = 0
        while count < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[count...])
            do throws(ErrorNumber) {
                let written = try retrying { () throws(ErrorNumber) in
                    try unsafe self.layer.write(rest, to: self.descriptor, at: offset + Int64(count))
                }
                // A regular file takes at least one byte or says why not; asking for ever would hang.
                guard written > 0 else { throw ErrorNumber(EIO) }
                count += written
            } catch {
                return (count, StorageError(error, self.name, "written"))
            }
        }
        return (count, nil)
    }

    /// Fills the buffer; fewer bytes only at the end of the file.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        var count = 0
        while count < bytes.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
            let position = offset + Int64(count)
            let read = try self.translating("read") { () throws(ErrorNumber) in
                try unsafe self.layer.read(into: rest, from: self.descriptor, at: position)
            }
            guard read > 0 else { break }
            count += read
        }
        return count
    }

    func truncate(to size: Int64) throws(StorageError) {
        try self.translating("cut") { () throws(ErrorNumber) in try self.layer.truncate(self.descriptor, to: size) }
    }

    func sync() throws(StorageError) {
        try self.translating("made durable") { () throws(ErrorNumber) in try self.layer.syncData(self.descriptor) }
    }

    func status() throws(StorageError) -> FileStatus {
        try self.translating("examined") { () throws(ErrorNumber) in try self.layer.status(of: self.descriptor) }
    }

    func lock() throws(ErrorNumber) {
        try retrying { () throws(ErrorNumber) in try self.layer.lock(self.descriptor) }
    }

    private func translating<Answer>(
        _ verb: String,
        _ call: () throws(ErrorNumber) -> Answer
    ) throws(StorageError) -> Answer {
        do throws(ErrorNumber) { return try retrying(call) } catch { throw StorageError(error, self.name, verb) }
    }
}
