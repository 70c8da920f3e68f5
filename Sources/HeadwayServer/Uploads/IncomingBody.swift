// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import WebServer

/// The body of one request, as whoever receives it takes it: in pieces, in order, at its own pace.
///
/// Only on the loop. It lives as long as its request is worked on; its connection may have gone long before.
final class IncomingBody {
    /// What comes next.
    enum Arrival {
        case pieces([[UInt8]])
        /// Where the next bytes are to be read.
        case socket(BodySocket)
    }

    private enum End {
        case whole
        case lost(Problem)
    }

    private static let joinedCount = 65_536

    let id: ConnectionID
    let head: HTTPRequest
    /// As it was announced; nil when only its end will tell.
    let length: Int64?
    /// How many bytes came.
    private(set) var received: Int64 = 0
    /// How many of them nobody is done with yet.
    private(set) var outstanding = 0
    /// Whether more is read from the socket now.
    var isReading = false
    /// Whether anybody has asked for the body yet: before that, nothing of it is wanted.
    private(set) var isWanted = false
    var watch: ArrivalWatch

    private var pieces: [[UInt8]] = []
    /// Ready to be read.
    private var socket: BodySocket?
    /// Whether whoever receives it is reading its socket.
    private var isDrawing = false
    private var end: End?
    private var waiter: CheckedContinuation<Void, Never>?

    init(_ id: ConnectionID, _ head: HTTPRequest, length: Int64?, watch: ArrivalWatch) {
        self.id = id
        self.head = head
        self.length = length
        self.watch = watch
    }

    /// How many bytes have still to come, where their number is known.
    var missing: Int64 { (self.length ?? .max) - self.received }
    /// Whether nothing more will come.
    var isOver: Bool { self.end != nil }
    /// Whether there is a socket that has to be read before anything else can come.
    var isReady: Bool { self.socket != nil || self.isDrawing }

    /// Marks that its reading may begin.
    func want() { self.isWanted = true }

    func add(_ piece: [UInt8]) {
        guard self.end == nil else { return }
        self.received += Int64(piece.count)
        self.outstanding += piece.count
        // A sender may send byte by byte: small pieces are put together, so that what is held is what is counted.
        if let last = self.pieces.indices.last, self.pieces[last].count + piece.count <= Self.joinedCount {
            self.pieces[last] += piece
        } else {
            self.pieces.append(piece)
        }
        self.wake()
    }

    /// Its socket has something.
    func add(_ socket: BodySocket) {
        guard self.end == nil else { return }
        self.isReading = false
        self.socket = socket
        self.wake()
    }

    /// So many bytes were read from its socket.
    func drew(_ count: Int64) {
        self.received += count
        self.isDrawing = false
    }

    func finish() {
        if self.end == nil { self.end = .whole }
        self.wake()
    }

    /// Nothing more is to be had of it; what came before is still given out.
    func lose(_ problem: Problem) {
        if self.end == nil { self.end = .lost(problem) }
        self.wake()
    }

    /// As `lose`, and what was not taken yet is thrown away.
    func abandon(_ problem: Problem) {
        self.end = .lost(problem)
        self.outstanding -= self.pieces.reduce(0) { $0 + $1.count }
        self.pieces = []
        self.socket = nil
        self.wake()
    }

    /// All that is there, as soon as there is something; nil at the end of a whole body.
    ///
    /// - Throws: `Problem`: why the rest won't come.
    func next() async throws(Problem) -> Arrival? {
        while self.pieces.isEmpty {
            switch self.end {
            case .whole: return nil
            case .lost(let problem): throw problem
            case nil: break
            }
            if let socket = self.socket {
                self.socket = nil
                self.isDrawing = true
                return .socket(socket)
            }
            await withCheckedContinuation { self.waiter = $0 }
        }
        defer { self.pieces = [] }
        return .pieces(self.pieces)
    }

    func release(_ count: Int) {
        self.outstanding -= count
    }

    private func wake() {
        self.waiter?.resume()
        self.waiter = nil
    }
}
