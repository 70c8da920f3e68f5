// SPDX-License-Identifier: Apache-2.0

import TransferStorage
import WebServer

/// A stretch of a stored file, read piece by piece on a disk thread.
final class FileBody: BodySource, Sendable {
    private let file: StoredFile
    private let from: Int64
    private let to: Int64

    init(_ file: StoredFile, from: Int64, to: Int64) {
        self.file = file
        self.from = from
        self.to = to
    }

    func read(at offset: Int64, count: Int, then completion: @escaping @Sendable ([UInt8]?) -> Void) {
        let start = self.from + offset
        let wanted = Int(min(Int64(count), self.to - start))
        self.file.read(at: start, count: wanted, then: completion)
    }

    func close() {
        self.file.close()
    }
}
