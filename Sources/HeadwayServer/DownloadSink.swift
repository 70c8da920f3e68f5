// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import Locks
import TransferCore
import TransferStorage

/// Joins one fetch to one part file: curl's thread judges the head, writes the body, and posts what happened.
///
/// No byte waits for the loop: progress is the part's own counter, which the tick samples.
final class DownloadSink: DownloadReceiver, Sendable {
    /// What the loop is told; in this order, and `ended` exactly once.
    enum Event: Sendable {
        case head(HeadVerdict, bytes: Int64)
        case ended(DownloadEnd, bytes: Int64, diskError: StorageError?)
    }

    private let part: PartFile
    private let writer: BlockWriter
    private let offset: Int64
    private let ifRange: String?
    private let clock: ServerClock
    private let post: @Sendable (Event) -> Void
    private let diskError = Locked<StorageError?>(nil)

    init(
        part: PartFile,
        offset: Int64,
        ifRange: String?,
        clock: ServerClock,
        post: @escaping @Sendable (Event) -> Void
    ) {
        self.part = part
        self.writer = BlockWriter(part)
        self.offset = offset
        self.ifRange = ifRange
        self.clock = clock
        self.post = post
    }

    func head(_ response: ResponseHead) -> Bool {
        let verdict = ResponseJudge.judge(
            ResponseFacts(response, now: self.clock.now().at),
            asked: (offset: self.offset, ifRange: self.ifRange)
        )
        self.post(.head(verdict, bytes: self.part.written))
        guard case .take = verdict else { return false }
        return true
    }

    func body(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        unsafe self.isWritten(self.writer.append(bytes)) ? .taken : .stop
    }

    func settle() -> Bool {
        self.isWritten(self.writer.flush())
    }

    func ended(_ end: DownloadEnd) {
        _ = self.settle()
        self.post(.ended(end, bytes: self.part.written, diskError: self.diskError.withLock { $0 }))
    }

    /// Keeps what went wrong first.
    private func isWritten(_ error: StorageError?) -> Bool {
        guard let error else { return true }
        self.diskError.withLock { $0 = $0 ?? error }
        return false
    }
}
