// SPDX-License-Identifier: Apache-2.0

/// One request and its answer on an HTTP connection; the next request on the connection gets a new one.
///
/// Only the loop thread touches it.
final class Exchange {
    /// What is being sent.
    struct Outgoing {
        /// Bytes that are ready, from `offset` on.
        var piece: [UInt8]
        var offset = 0
        /// Read ahead: what follows `piece`.
        var nextPiece: [UInt8]?
        var source: (any BodySource)?
        var nextRead: Int64 = 0
        var end: Int64 = 0
        var isReading = false
        /// Since when a piece is awaited, in nanoseconds.
        var readingSince: UInt64 = 0
        /// Each piece is framed, and the end is told by an empty one.
        var isChunked = false
        var hasFailed = false

        /// A piece has been read, or none could be.
        mutating func take(_ bytes: [UInt8]?) {
            self.isReading = false
            guard let bytes, self.isChunked || !bytes.isEmpty else {
                self.hasFailed = true
                return
            }
            self.nextRead += Int64(bytes.count)
            guard self.isChunked else {
                self.nextPiece = bytes
                return
            }
            let size = Array((String(bytes.count, radix: 16) + "\r\n").utf8)
            let end = Array("\r\n".utf8)
            self.nextPiece = size + bytes + end
            if bytes.isEmpty { self.end = self.nextRead }
        }
    }

    /// What is known of a body that is handed over in pieces.
    struct Incoming {
        /// Of a chunked body.
        var decoder: ChunkDecoder?
        /// Whether the client waits for 100 before it sends.
        var expectsContinue: Bool
        /// How many bytes have still to come; of a chunked body its end tells.
        var missing: Int64
        /// The application wants to read the socket itself.
        var isToBeDiverted = false
        /// From which it does so.
        var socket: BodySocket?
        /// The application knows of it.
        var isAnnounced = false
        /// All of it came.
        var isEnded = false
        /// The rest of it won't come.
        var isLost = false

        var isOver: Bool { self.isEnded || self.isLost }
    }

    /// How long what a peer still sends is read and thrown away.
    struct Lingering {
        private static let patience: UInt64 = 5_000_000_000
        private static let most: UInt64 = 30_000_000_000

        /// When it is over at the latest (ns).
        private let end: UInt64
        /// When it is over unless something comes (ns).
        private var due: UInt64

        init(at now: UInt64) {
            self.end = now + Self.most
            self.due = now + Self.patience
        }

        mutating func heard(at now: UInt64) {
            self.due = now + Self.patience
        }

        func isOver(at now: UInt64) -> Bool { now > min(self.due, self.end) }
    }

    enum Phase {
        /// Next: deciding, or lingering when it is too long after all.
        case reading
        /// The body is handed over as it comes.
        ///
        /// Next: sending, or lingering when it is answered before its end.
        case receiving(Incoming)
        /// The application is being asked.
        ///
        /// Next: waiting, sending, stream.
        case deciding
        /// `respond` will come.
        ///
        /// Next: sending.
        case waiting
        /// Next: flushing, or the exchange is over.
        case sending(Outgoing)
        /// All is written; the exchange is over, and with it perhaps the connection, when libwebsockets holds nothing more.
        case flushing
        /// The answer went out before the body was read: what still comes is thrown away, so that closing does not reset the answer.
        case lingering(Lingering)
        case eventStream
    }

    var request: HTTPRequest
    let bodyLength: Int
    var keepsAlive: Bool
    let isVersion10: Bool
    var phase: Phase
    /// Whether its body was not left to libwebsockets, which still waits for the rest.
    var isDiverted = false
    /// Whether it will be told when the peer sends something, or stops sending, while it is being answered.
    var isWatched = false
    /// The peer has done so: what it sent stays unread until the answer is out.
    var isParked = false
    /// An answer that came while the application was still being asked.
    var early: HTTPResponse?

    init(request: HTTPRequest, bodyLength: Int, keepsAlive: Bool, isVersion10: Bool, phase: Phase) {
        self.request = request
        self.bodyLength = bodyLength
        self.keepsAlive = keepsAlive
        self.isVersion10 = isVersion10
        self.phase = phase
    }

    /// The connection has gone, or the answer is out: the source isn't needed any more.
    func end() {
        if case .sending(var outgoing) = self.phase {
            outgoing.source?.close()
            outgoing.source = nil
            self.phase = .sending(outgoing)
        }
    }
}
