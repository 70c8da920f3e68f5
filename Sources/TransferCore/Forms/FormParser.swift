// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// Reads a multipart/form-data body (RFC 7578) as it comes, in pieces of any size.
///
/// It keeps the head of one part and nothing else: content is passed on as it arrives, in slices of the pieces where
/// that is possible. The time it takes grows with the bytes alone, whatever they are: a delimiter begins with a CR and
/// holds no other one, so no byte is looked at twice. After it has thrown it is not to be used any more.
package struct FormParser: Sendable {
    /// What was read.
    package enum Event: Sendable, Equatable {
        /// A part begins.
        case part(FormPart)
        /// Some of its content.
        case content(ArraySlice<UInt8>)
        /// It is over.
        case partEnded
        /// The closing delimiter came.
        ///
        /// What follows is ignored.
        case ended
    }

    /// How many parts a form may have.
    package static let maximumParts = 1_000
    /// How many bytes the head of a part may have.
    package static let maximumHeadBytes = 16_384
    /// Blanks behind a delimiter; more are content.
    private static let maximumPadding = 128

    private enum State: Sendable {
        /// Looks for a delimiter, of which so many bytes have come.
        case content(matched: Int)
        /// Behind a delimiter, of which these bytes have come.
        case tail([UInt8])
        /// In a part's head; so many bytes of the line ends that close it have come.
        case head([UInt8], matched: Int)
        case epilogue
    }

    private static let headEnd: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]

    private let delimiter: [UInt8]
    private let search: DelimiterSearch
    private var state = State.content(matched: 2)
    private var isInPart = false
    private var parts = 0
    /// How many bytes were read.
    package private(set) var position: Int64 = 0

    package init(_ boundary: FormBoundary) {
        self.delimiter = boundary.delimiter
        self.search = DelimiterSearch(boundary.delimiter)
    }

    /// Whether the closing delimiter came.
    package var isWhole: Bool {
        if case .epilogue = self.state { true } else { false }
    }

    /// Reads on, and tells what came, each with the place in the body behind it.
    ///
    /// - Throws: `Problem`, with status 413.
    package mutating func read(_ piece: ArraySlice<UInt8>, _ tell: (Event, Int64) -> Void) throws(Problem) {
        let end = self.position + Int64(piece.count)
        var rest = piece
        while !rest.isEmpty {
            switch self.state {
            case .content(let matched): self.readContent(&rest, matched, tell)
            case .tail(let seen): self.readTail(&rest, seen, end, tell)
            case .head(let head, let matched): try self.readHead(&rest, head, matched, end, tell)
            case .epilogue: rest = []
            }
        }
        self.position = end
    }

    private mutating func readContent(_ rest: inout ArraySlice<UInt8>, _ matched: Int, _ tell: (Event, Int64) -> Void) {
        guard matched > 0 else {
            let (start, count) = self.search.first(in: rest)
            if self.isInPart, start > rest.startIndex { tell(.content(rest[..<start]), self.position) }
            rest = rest[(start + count)...]
            self.state = count == self.delimiter.count ? .tail([]) : .content(matched: count)
            return
        }
        var matched = matched
        while matched < self.delimiter.count, let byte = rest.first {
            guard byte == self.delimiter[matched] else {
                // At the very beginning there were no bytes to be given back: the first delimiter needs no line end.
                if self.isInPart { tell(.content(self.delimiter[..<matched]), self.position) }
                self.state = .content(matched: 0)
                return
            }
            matched += 1
            rest = rest.dropFirst()
        }
        self.state = matched == self.delimiter.count ? .tail([]) : .content(matched: matched)
    }

    /// Two dashes close the form, a line end (after blanks) begins a part, all else was content after all.
    private mutating func readTail(
        _ rest: inout ArraySlice<UInt8>,
        _ seen: [UInt8],
        _ end: Int64,
        _ tell: (Event, Int64) -> Void
    ) {
        var seen = seen
        while let byte = rest.first {
            switch (seen.last, byte) {
            case (nil, UInt8(ascii: "-")): break
            case (UInt8(ascii: "-"), UInt8(ascii: "-")):
                rest = rest.dropFirst()
                self.position = end - Int64(rest.count)
                self.endPart(tell)
                self.state = .epilogue
                tell(.ended, self.position)
                return
            case (nil, 0x20), (nil, 0x09), (0x20, 0x20), (0x20, 0x09), (0x09, 0x20), (0x09, 0x09):
                guard seen.count < Self.maximumPadding else { return self.resume(seen, tell) }
            case (nil, 0x0D), (0x20, 0x0D), (0x09, 0x0D): break
            case (0x0D, 0x0A):
                rest = rest.dropFirst()
                self.position = end - Int64(rest.count)
                self.endPart(tell)
                self.state = .head([], matched: 2)
                return
            default: return self.resume(seen, tell)
            }
            seen.append(byte)
            rest = rest.dropFirst()
        }
        self.state = .tail(seen)
    }

    /// It was no delimiter: what was taken for one is content; a CR at its end may begin the real one.
    private mutating func resume(_ seen: [UInt8], _ tell: (Event, Int64) -> Void) {
        let endsInCR = seen.last == 0x0D
        if self.isInPart {
            tell(.content((self.delimiter + (endsInCR ? seen.dropLast() : seen[...]))[...]), self.position)
        }
        self.state = .content(matched: endsInCR ? 1 : 0)
    }

    private mutating func endPart(_ tell: (Event, Int64) -> Void) {
        if self.isInPart { tell(.partEnded, self.position) }
        self.isInPart = false
    }

    private mutating func readHead(
        _ rest: inout ArraySlice<UInt8>,
        _ head: [UInt8],
        _ matched: Int,
        _ end: Int64,
        _ tell: (Event, Int64) -> Void
    ) throws(Problem) {
        var head = head
        var matched = matched
        // Nothing else holds the bytes while they grow.
        self.state = .content(matched: 0)
        while let byte = rest.popFirst() {
            head.append(byte)
            matched = byte == Self.headEnd[matched] ? matched + 1 : (byte == 0x0D ? 1 : 0)
            if matched == 4 {
                self.parts += 1
                guard self.parts <= Self.maximumParts else {
                    let detail = "the form has more than \(Self.maximumParts) parts"
                    throw Problem(.tooLarge, detail, status: 413)
                }
                self.position = end - Int64(rest.count)
                self.isInPart = true
                self.state = .content(matched: 0)
                // The line end of an empty head is the one that a delimiter without content would begin with; no client
                // sends that.
                tell(.part(FormPart(head: head.dropLast(min(4, head.count)))), self.position)
                return
            }
            guard head.count < Self.maximumHeadBytes else {
                let detail = "the head of a part has more than \(Self.maximumHeadBytes) bytes"
                throw Problem(.tooLarge, detail, status: 413)
            }
        }
        self.state = .head(head, matched: matched)
    }
}
