// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// Reads what was written to a socket, as a client would.
enum Wire {
    /// Messages that were read before: many viewers get the same.
    struct Known {
        fileprivate var frames: [String: [Frame]] = [:]
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The messages of a buffer: WebSocket payloads, or the data of events.
    static func messages(_ bytes: [UInt8], _ framing: Framing) throws -> [[UInt8]] {
        framing == .eventStream ? try Self.events(bytes).map(\.data) : try Self.payloads(bytes)
    }

    /// The frames of a buffer, in order.
    ///
    /// Every message is at most 64 KiB, and an array exactly where that was asked for.
    static func frames(_ bytes: [UInt8], _ framing: Framing) throws -> [Frame] {
        var known = Known()
        return try Self.frames(bytes, framing, &known)
    }

    /// The same, for one who reads very much: what was read before is not read again.
    static func frames(_ bytes: [UInt8], _ framing: Framing, _ known: inout Known) throws -> [Frame] {
        if framing == .eventStream {
            return try Self.events(bytes).map { event in
                let frame = try Self.frames(event.data, &known)[0]
                guard event.seq == frame.seq else { throw Failure(description: "id and seq differ: \(frame)") }
                return frame
            }
        }
        return try Self.payloads(bytes).flatMap { message in
            guard (message.first == UInt8(ascii: "[")) == (framing == .webSocketBatch) else {
                throw Failure(description: "a message of the wrong shape")
            }
            guard framing == .webSocketBatch else { return try Self.frames(message, &known) }
            return try Self.elements(of: message).flatMap { try Self.frames($0, &known) }
        }
    }

    /// The texts of an array's elements: the same frames come to many viewers, but in different company.
    private static func elements(of batch: [UInt8]) throws -> [[UInt8]] {
        var elements: [[UInt8]] = []
        var start = 1
        var depth = 0
        var isInString = false
        var index = 0
        while index < batch.count {
            let byte = batch[index]
            if isInString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                if byte == UInt8(ascii: "\"") { isInString = false }
            } else if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            }
            let isEnd = depth == 0 && !isInString
            if isEnd || depth == 1 && byte == UInt8(ascii: ",") && !isInString {
                elements.append(Array(batch[start..<index]))
                start = index + 1
            }
            index += 1
            if isEnd { break }
        }
        guard depth == 0, index == batch.count else { throw Failure(description: "a batch is not one array") }
        return elements
    }

    private static func frames(_ message: [UInt8], _ known: inout Known) throws -> [Frame] {
        let text = String(decoding: message, as: UTF8.self)
        if let frames = known.frames[text] { return frames }
        let frames = try FrameDecoder.frames(message)
        known.frames[text] = frames
        return frames
    }

    private static func payloads(_ bytes: [UInt8]) throws -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 2, rest.removeFirst() == 0x81 else {
                throw Failure(description: "not one whole text message")
            }
            var length = Int(rest.removeFirst())
            if length >= 126 {
                let digits = length == 126 ? 2 : 8
                length = rest.prefix(digits).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(digits)
            }
            guard rest.count >= length, length <= 65_536 else {
                throw Failure(description: "a message of \(length) bytes, and \(rest.count) are there")
            }
            payloads.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return payloads
    }

    private static func events(_ bytes: [UInt8]) throws -> [(seq: UInt64?, data: [UInt8])] {
        guard bytes.suffix(2) == [0x0A, 0x0A] else { throw Failure(description: "an event is not at its end") }
        var events: [(seq: UInt64?, data: [UInt8])] = []
        var seq: UInt64?
        for line in bytes.split(separator: 0x0A) {
            if line.starts(with: "id: ".utf8) {
                seq = ResumePoint(eventID: String(decoding: line.dropFirst(4), as: UTF8.self))?.seq
            } else {
                guard line.starts(with: "data: ".utf8) else { throw Failure(description: "a line that is no field") }
                events.append((seq, Array(line.dropFirst(6))))
                seq = nil
            }
        }
        return events
    }
}
