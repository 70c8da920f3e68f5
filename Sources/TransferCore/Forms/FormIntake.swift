// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What a server wants of a form: its files, one after the other, and how many bytes of files there are in all.
///
/// Plain fields are read and dropped. Whatever comes, it keeps no more than the head of one part.
package struct FormIntake: Sendable {
    /// What is to be done.
    package enum Event: Sendable, Equatable {
        /// A file begins; `total` as it is known now.
        case file(name: FileName, contentType: String?, total: Int64?)
        /// Some bytes of the file.
        case bytes(ArraySlice<UInt8>)
        /// The file is whole.
        case fileEnded
        /// The form is whole.
        case ended
    }

    /// How long a part may be that is no file.
    package static let maximumFieldBytes = 65_536

    private enum Kind: Sendable {
        case file
        case field(name: String, bytes: Int)
        /// A file input in which nothing was chosen.
        case nothing
    }

    private let length: Int64?
    private let closingCount: Int64
    private var parser: FormParser
    private var kind = Kind.nothing
    /// How many bytes of files came.
    package private(set) var fileBytes: Int64 = 0
    /// How many files began.
    package private(set) var files = 0
    /// How many bytes of files there will be: the body's length without the envelope met so far and the closing
    /// delimiter; nil without a length, until the end.
    ///
    /// It is found when a file begins, and never below `fileBytes` then; exact for a form whose file comes last. A form
    /// that is not closed brings more.
    package private(set) var total: Int64?

    /// - Parameters:
    ///   - boundary: of the form.
    ///   - length: of the whole body; nil when it is not known.
    package init(_ boundary: FormBoundary, length: Int64?) {
        self.length = length
        self.closingCount = Int64(boundary.closingCount)
        self.parser = FormParser(boundary)
    }

    /// Reads on.
    ///
    /// - Throws: `Problem`, with status 413 or 415; then nothing more is to be read.
    package mutating func read(_ piece: ArraySlice<UInt8>) throws(Problem) -> [Event] {
        var read: [(event: FormParser.Event, position: Int64)] = []
        try self.parser.read(piece) { read.append(($0, $1)) }
        var events: [Event] = []
        for (event, position) in read { try self.take(event, at: position, &events) }
        return events
    }

    /// The body is over.
    ///
    /// - Throws: `Problem` with status 400, when the form is not whole or holds no file.
    package func finish() throws(Problem) {
        guard self.parser.isWhole else {
            let detail = "the form ended after \(self.parser.position) bytes without its closing delimiter"
            throw Problem(.lengthMismatch, detail, status: 400)
        }
        guard self.files > 0 else {
            throw Problem(.invalid, "the form holds no file: a part with a filename", status: 400)
        }
    }

    private mutating func take(_ event: FormParser.Event, at position: Int64, _ events: inout [Event]) throws(Problem) {
        switch event {
        case .part(let part): try self.begin(part, at: position, &events)
        case .content(let bytes):
            switch self.kind {
            case .file:
                self.fileBytes += Int64(bytes.count)
                events.append(.bytes(bytes))
            case .field(let name, let count):
                guard count + bytes.count <= Self.maximumFieldBytes else {
                    let detail =
                        "the field \"\(name.prefix(60))\" has more than \(Self.maximumFieldBytes) bytes: "
                        + "a file needs a filename"
                    throw Problem(.tooLarge, detail, status: 413)
                }
                self.kind = .field(name: name, bytes: count + bytes.count)
            case .nothing: break
            }
        case .partEnded:
            if case .file = self.kind { events.append(.fileEnded) }
            self.kind = .nothing
        case .ended:
            self.total = self.fileBytes
            events.append(.ended)
        }
    }

    private mutating func begin(_ part: FormPart, at position: Int64, _ events: inout [Event]) throws(Problem) {
        if let encoding = part.encoding, !["binary", "8bit", "7bit"].contains(encoding) {
            let detail = "a part encoded as \"\(encoding.prefix(60))\" is not taken: send the bytes as they are"
            throw Problem(.invalid, detail, status: 415)
        }
        if let type = part.contentType, type.lowercased().hasPrefix("multipart/") {
            throw Problem(.invalid, "a form inside a form is not taken: send each file as a part", status: 415)
        }
        guard let fileName = part.fileName else {
            self.kind = .field(name: part.name ?? "", bytes: 0)
            return
        }
        guard !fileName.isEmpty else {
            self.kind = .nothing
            return
        }
        self.kind = .file
        self.files += 1
        if let length = self.length {
            self.total = max(length - (position - self.fileBytes) - self.closingCount, self.fileBytes)
        }
        events.append(
            .file(name: FileName.received(fileName), contentType: part.contentType, total: self.total)
        )
    }
}
