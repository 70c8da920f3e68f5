// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

/// How frames become bytes on a connection.
///
/// The same rows and rounds serve all of them.
package enum Framing: Hashable, Sendable {
    /// One frame is one WebSocket text message (RFC 6455 §5.2; a server does not mask).
    case webSocket
    /// Every WebSocket message is a JSON array of frames.
    case webSocketBatch
    /// Server-Sent Events: `id: epoch:seq` with each frame.
    case eventStream
}

/// Puts ready-made frames back to back, in one framing, up to a limit of bytes.
struct FrameAssembler {
    /// What is ready to be written.
    private(set) var bytes: [UInt8] = []

    private let framing: Framing
    private let epoch: String
    /// Where the open message of a batch begins; nil while none is open.
    private var batchStart: Int?

    /// Bytes that a framing may add to a frame of a batch or a message, generously.
    private static let overhead = 16
    /// A batch's message stays within 64 KiB, header included.
    private static let maximumMessage = 65_000

    init(framing: Framing, epoch: String) {
        self.framing = framing
        self.epoch = epoch
    }

    /// Makes room at once, so that it need not grow frame by frame.
    mutating func reserve(_ count: Int) {
        self.bytes.reserveCapacity(count)
    }

    /// How many bytes a frame of `count` bytes takes at the most.
    func cost(of count: Int) -> Int {
        self.framing == .eventStream ? count + 64 + self.epoch.utf8.count : count + Self.overhead
    }

    /// Adds a row's frame: the head with this `seq`, and the tail that everybody shares.
    mutating func append(_ frame: FrameEncoder.RowFrame, seq: UInt64, tail: [UInt8]) {
        let length = FrameEncoder.headLength(of: frame, seq: seq) + tail.count
        self.begin(length: length, seq: seq)
        FrameEncoder.appendHead(of: frame, seq: seq, to: &self.bytes)
        self.bytes.append(contentsOf: tail)
        self.end()
    }

    /// Adds a whole frame.
    mutating func append(_ frame: Frame) {
        self.append(FrameEncoder.encode(frame), seq: frame.seq)
    }

    /// Adds a whole frame that is bytes already.
    mutating func append(_ encoded: [UInt8], seq: UInt64?) {
        self.begin(length: encoded.count, seq: seq)
        self.bytes.append(contentsOf: encoded)
        self.end()
    }

    /// Closes what is open and hands out the bytes.
    mutating func finish() -> [UInt8] {
        self.closeBatch()
        return self.bytes
    }

    private mutating func begin(length: Int, seq: UInt64?) {
        switch self.framing {
        case .webSocket:
            self.appendHeader(length: length)
        case .webSocketBatch:
            if let start = self.batchStart, self.bytes.count - start + length + 2 > Self.maximumMessage {
                self.closeBatch()
            }
            if self.batchStart == nil {
                // Room for the longer header; a short message moves up when it is closed.
                self.batchStart = self.bytes.count
                self.bytes.append(contentsOf: [0, 0, 0, 0, UInt8(ascii: "[")])
            } else {
                self.bytes.append(UInt8(ascii: ","))
            }
        case .eventStream:
            if let seq {
                self.bytes.append(contentsOf: "id: ".utf8)
                self.bytes.append(contentsOf: self.epoch.utf8)
                self.bytes.append(UInt8(ascii: ":"))
                self.bytes.append(decimal: seq)
                self.bytes.append(UInt8(ascii: "\n"))
            }
            self.bytes.append(contentsOf: "data: ".utf8)
        }
    }

    private mutating func end() {
        if self.framing == .eventStream { self.bytes.append(contentsOf: [0x0A, 0x0A]) }
    }

    private mutating func closeBatch() {
        guard let start = self.batchStart else { return }
        self.batchStart = nil
        self.bytes.append(UInt8(ascii: "]"))
        let length = self.bytes.count - start - 4
        var header: [UInt8] = [0x81, UInt8(truncatingIfNeeded: length)]
        if length >= 126 {
            header = [0x81, 126, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
        }
        self.bytes.replaceSubrange(start..<start + 4, with: header)
    }

    private mutating func appendHeader(length: Int) {
        self.bytes.append(0x81)
        if length < 126 {
            self.bytes.append(UInt8(length))
        } else if length <= 0xFFFF {
            self.bytes.append(126)
            self.bytes.append(UInt8(truncatingIfNeeded: length >> 8))
            self.bytes.append(UInt8(truncatingIfNeeded: length))
        } else {
            self.bytes.append(127)
            for shift in stride(from: 56, through: 0, by: -8) {
                self.bytes.append(UInt8(truncatingIfNeeded: length >> shift))
            }
        }
    }
}
