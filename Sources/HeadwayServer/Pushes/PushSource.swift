// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferStorage

/// Where the bytes of one push come from: a stored file, one that still grows, or another server.
///
/// Called on the curl thread, where whatever takes long holds up everything else.
protocol PushSource: AnyObject, Sendable {
    /// How many bytes there are; nil when only the end will tell.
    var total: Int64? { get }
    /// Whether all of it can be had again.
    var isRepeatable: Bool { get }
    /// What is at that place; `later` when the source will wake its reader.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Problem) -> Reading
    /// Whether reading may go on from there.
    func holds(_ offset: Int64) -> Bool
    /// This reader needs it no more.
    func close()
}

/// A stored file.
final class StoredSource: PushSource, Sendable {
    private let file: StoredFile

    init(_ file: StoredFile) {
        self.file = file
    }

    var total: Int64? { self.file.size }
    var isRepeatable: Bool { true }

    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Problem) -> Reading {
        let left = self.file.size - offset
        guard left > 0 else { return .end }
        let piece: [UInt8]
        do {
            piece = try self.file.read(at: offset, count: Int(min(Int64(bytes.count), left)))
            // Before the last byte: what has changed must not look whole to the other side.
            guard try Int64(piece.count) < left || self.file.isUnchanged() else {
                throw Problem(.sourceChanged, "The stored file was changed while it was sent")
            }
        } catch let error as StorageError {
            throw Problem(error)
        } catch {
            throw (error as? Problem) ?? Problem(.internalError, "\(error)")
        }
        guard !piece.isEmpty else {
            throw Problem(.sourceChanged, "The stored file ends after \(offset) of \(self.file.size) bytes")
        }
        unsafe bytes.copyBytes(from: piece)
        return .bytes(piece.count)
    }

    func holds(_ offset: Int64) -> Bool { (0...self.file.size).contains(offset) }

    func close() { self.file.close() }
}
