// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// One JSON object per line for each change: a frame of the wire, with the whole transfer in each.
struct JSONView: TransferView {
    mutating func show(_ change: TableChange, of frame: Frame, base: URL) {
        let (seq, at) = Self.stamp(of: frame)
        switch change {
        case .table(let transfers):
            for transfer in transfers { Self.write(.start, seq, at, transfer) }
        case .started(let transfer): Self.write(.start, seq, at, transfer)
        case .moved(let transfer): Self.write(.progress, seq, at, transfer)
        case .ended(let transfer): Self.write(.complete, seq, at, transfer)
        case .removed(let transfer): Self.write(.removed, seq, at, transfer)
        case .live, .lost: break
        }
    }

    func lost(_ problem: Problem, retryIn wait: Duration) {
        Output.complain("headway: " + problem.detail + "; next try in " + Words.time(wait))
    }

    func draw() {}

    private static func write(_ type: FrameEncoder.RowFrame, _ seq: UInt64, _ at: Timestamp, _ transfer: Transfer) {
        var bytes: [UInt8] = []
        FrameEncoder.appendHead(of: type, seq: seq, to: &bytes)
        Output.print(String(decoding: bytes + FrameEncoder.wholeTail(of: transfer, at: at), as: UTF8.self))
    }

    /// `ready` has no time of its own: then it is ours.
    private static func stamp(of frame: Frame) -> (UInt64, Timestamp) {
        switch frame {
        case .start(let seq, let at, _), .complete(let seq, let at, _), .progress(let seq, let at, _),
            .removed(let seq, let at, _, _):
            (seq, at)
        case .hello, .ready, .heartbeat, .ack, .unknown:
            (frame.seq ?? 0, Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
        }
    }
}
