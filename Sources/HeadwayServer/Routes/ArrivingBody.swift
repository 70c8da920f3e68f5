// SPDX-License-Identifier: Apache-2.0

import TransferStorage
import WebServer

/// A stretch of a file that is still coming: what is there, and then what comes, to its end.
final class ArrivingBody: BodySource, Sendable {
    private let file: GrowingFile
    private let arrival: Arrival
    private let reader: Int
    private let from: Int64

    init(_ file: GrowingFile, _ arrival: Arrival, from: Int64) {
        self.file = file
        self.arrival = arrival
        self.reader = arrival.join()
        self.from = from
    }

    func read(at offset: Int64, count: Int, then completion: @escaping @Sendable ([UInt8]?) -> Void) {
        let start = self.from + offset
        let readable = self.arrival.readable(from: start, as: self.reader) { [weak self] in
            self?.read(at: offset, count: count, then: completion)
        }
        switch readable {
        case .bytes(let bytes): self.file.read(at: start, count: Int(min(Int64(count), bytes)), then: completion)
        case .end: completion([])
        case .failed: completion(nil)
        case .later: break
        }
    }

    func close() {
        self.arrival.leave(self.reader)
        self.file.close()
    }
}
