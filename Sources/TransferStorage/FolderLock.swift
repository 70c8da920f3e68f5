// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The claim of this process on a data folder, held as long as this object lives: the kernel gives it back even after
/// a crash, so nothing stale is ever left.
final class FolderLock: Sendable {
    private static let name = "headway.lock"

    private let file: OpenFile

    init(in folder: Folder) throws(StorageError) {
        let file = try folder.open(Self.name, flags: O_RDWR | O_CREAT, mode: 0o600)
        do throws(ErrorNumber) {
            try file.lock()
        } catch {
            guard error.code == EWOULDBLOCK else { throw StorageError(error, Self.name, "locked") }
            let owner = Self.owner(file)
            throw StorageError(.locked(by: owner), errno: error.code, "the data folder is in use by \(owner)")
        }
        self.file = file
        try file.truncate(to: 0)
        let text = "\(getpid())\n\(WallClock.milliseconds())\n"
        let error = unsafe Array(text.utf8).withUnsafeBytes { unsafe file.write($0, at: 0).error }
        if let error { throw error }
    }

    /// Who wrote into the file; the holder may not have got to it yet.
    private static func owner(_ file: OpenFile) -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { (try? unsafe file.read(into: $0, at: 0)) ?? 0 }
        let digits = bytes.prefix(count).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits.isEmpty ? "another process" : "process " + String(decoding: digits, as: UTF8.self)
    }
}
