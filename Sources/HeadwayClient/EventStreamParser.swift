// SPDX-License-Identifier: Apache-2.0

/// Reads Server-Sent Events out of bytes that may be cut anywhere.
///
/// Lines end with LF, CR or CRLF; an event is what `data:` lines hold up to an empty line. What is kept is bounded.
struct EventStreamParser: Sendable {
    /// An event grew over the limit; the connection is of no use any more.
    struct Overflow: Error, Hashable {}

    /// The most that one event may hold; a message of the wire is at most 64 KiB.
    static let maximumEventBytes = 1 << 20

    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var isFirstLine = true
    private var lastWasCarriageReturn = false

    /// Takes the next bytes; gives the data of each event that is whole with them.
    ///
    /// - Throws: `Overflow`.
    mutating func take(_ bytes: some Sequence<UInt8>) throws(Overflow) -> [[UInt8]] {
        var events: [[UInt8]] = []
        for byte in bytes {
            let endsCarriageReturn = byte == Self.lineFeed && self.lastWasCarriageReturn
            self.lastWasCarriageReturn = byte == Self.carriageReturn
            if endsCarriageReturn { continue }
            guard byte == Self.lineFeed || byte == Self.carriageReturn else {
                guard self.line.count + self.data.count < Self.maximumEventBytes else { throw Overflow() }
                self.line.append(byte)
                continue
            }
            if let event = self.lineEnded() { events.append(event) }
        }
        return events
    }

    private mutating func lineEnded() -> [UInt8]? {
        var line = self.line[...]
        if self.isFirstLine, line.starts(with: Self.byteOrderMark) { line = line.dropFirst(3) }
        self.isFirstLine = false
        defer { self.line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return self.eventEnded() }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        // Comments, `id`, `event` and `retry` say nothing that the frames don't say.
        guard name.elementsEqual("data".utf8) else { return nil }
        var value = line.dropFirst(name.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if self.hasData { self.data.append(Self.lineFeed) }
        self.data.append(contentsOf: value)
        self.hasData = true
        return nil
    }

    private mutating func eventEnded() -> [UInt8]? {
        guard self.hasData else { return nil }
        defer {
            self.data.removeAll(keepingCapacity: true)
            self.hasData = false
        }
        return self.data
    }
}
