// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferStorage

/// A file that is fetched and kept, sent on while it comes.
final class GrowingSource: PushSource, Sendable {
    /// As it was known when the sending began.
    let total: Int64?
    private let file: GrowingFile
    private let arrival: Arrival
    private let reader: Int
    private let wake: @Sendable () -> Void

    /// `wake` lets the request go on that reads here.
    init(_ file: GrowingFile, _ arrival: Arrival, total: Int64?, wake: @escaping @Sendable () -> Void) {
        self.file = file
        self.arrival = arrival
        self.total = total
        self.reader = arrival.join()
        self.wake = wake
    }

    var isRepeatable: Bool { true }

    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Problem) -> Reading {
        switch self.arrival.readable(from: offset, as: self.reader, wake: self.wake) {
        case .end: return .end
        case .later: return .later
        case .failed(var problem):
            problem.detail = "The source: " + problem.detail
            throw problem
        case .bytes(let available):
            let count = Int(min(available, Int64(bytes.count)))
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(count))
            do {
                return .bytes(try unsafe self.file.read(into: room, at: offset))
            } catch {
                throw Problem(error)
            }
        }
    }

    func holds(_ offset: Int64) -> Bool { offset >= 0 }

    func close() {
        self.arrival.leave(self.reader)
        self.file.close()
    }
}
