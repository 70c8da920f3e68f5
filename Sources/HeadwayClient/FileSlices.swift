// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProgressProtocol

/// A local file, read in slices.
enum FileSlices {
    /// - Throws: `Problem` with code `invalid` that names the file.
    static func size(of file: URL) throws(Problem) -> Int64 {
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw Problem(.invalid, "there is no file \(file.path)")
        }
        do {
            let values = try file.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
            guard values.isRegularFile == true, let size = values.fileSize else {
                throw Problem(.invalid, "\(file.path) is not a file")
            }
            return Int64(size)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.invalid, "\(file.path) can't be read: \(error.localizedDescription)")
        }
    }

    /// - Throws: `Problem` with code `source-changed` when it has become shorter.
    static func read(_ file: URL, at offset: Int64, count: Int) throws(Problem) -> Data {
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            try handle.seek(toOffset: UInt64(offset))
            guard let bytes = try handle.read(upToCount: count), bytes.count == count else {
                throw Problem(.sourceChanged, "\(file.path) became shorter while it was sent")
            }
            return bytes
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.invalid, "\(file.path) can't be read: \(error.localizedDescription)")
        }
    }
}
