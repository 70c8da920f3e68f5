// SPDX-License-Identifier: Apache-2.0

/// Takes the framing off a chunked body (RFC 9112 §7.1), which libwebsockets hands over as it came.
///
/// Strict where leniency would let two readers see two bodies: a size is hexadecimal digits and nothing else before an
/// extension, and lines end in CR LF.
struct ChunkDecoder {
    enum Failure: Error { case malformed }

    private enum State {
        /// In a size line: the size so far, and how many digits it has.
        case size(Int, digits: Int)
        case extensionText
        case sizeEnd
        case data(left: Int)
        case dataEnd
        case dataEndLF
        /// In the trailer: whether its line is empty so far.
        case trailer(isEmpty: Bool)
        case trailerLF(isLast: Bool)
        case done
    }

    /// Bytes of extensions and trailers: more is an attempt to keep us busy.
    private static let maximumExtra = 16_384

    private var state = State.size(0, digits: 0)
    private var size = 0
    private var extra = 0
    /// How many bytes came, framing included.
    private(set) var rawCount = 0

    var isDone: Bool {
        if case .done = self.state { true } else { false }
    }

    /// The content in these bytes; what follows the body's end is ignored.
    mutating func decode(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> [UInt8] {
        self.rawCount += bytes.count
        var content: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if case .data(let left) = self.state {
                let count = min(left, bytes.count - index)
                let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[index..<index + count])
                unsafe content.append(contentsOf: part)
                index += count
                self.state = count == left ? .dataEnd : .data(left: left - count)
                continue
            }
            guard !self.isDone else { break }
            try self.take(unsafe bytes[index])
            index += 1
        }
        return content
    }

    private mutating func take(_ byte: UInt8) throws(Failure) {
        switch self.state {
        case .size(let size, let digits):
            if let digit = Self.digit(byte) {
                guard digits < 15 else { throw .malformed }
                self.state = .size(size << 4 | digit, digits: digits + 1)
            } else {
                guard digits > 0 else { throw .malformed }
                self.size = size
                switch byte {
                case 0x0D: self.state = .sizeEnd
                case UInt8(ascii: ";"), 0x20, 0x09: self.state = .extensionText
                default: throw .malformed
                }
            }
        case .extensionText:
            try self.countExtra()
            guard byte != 0x0A else { throw .malformed }
            if byte == 0x0D { self.state = .sizeEnd }
        case .sizeEnd:
            guard byte == 0x0A else { throw .malformed }
            self.state = self.size == 0 ? .trailer(isEmpty: true) : .data(left: self.size)
        case .dataEnd:
            guard byte == 0x0D else { throw .malformed }
            self.state = .dataEndLF
        case .dataEndLF:
            guard byte == 0x0A else { throw .malformed }
            self.state = .size(0, digits: 0)
        case .trailer(let isEmpty):
            try self.countExtra()
            guard byte != 0x0A else { throw .malformed }
            self.state = byte == 0x0D ? .trailerLF(isLast: isEmpty) : .trailer(isEmpty: false)
        case .trailerLF(let isLast):
            guard byte == 0x0A else { throw .malformed }
            self.state = isLast ? .done : .trailer(isEmpty: true)
        case .data, .done: break
        }
    }

    private mutating func countExtra() throws(Failure) {
        self.extra += 1
        guard self.extra <= Self.maximumExtra else { throw .malformed }
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
