// SPDX-License-Identifier: Apache-2.0

public import ProgressProtocol

/// The client's copy of the table: frames go in, changes come out.
///
/// It follows the rules of the wire: after a `hello` that is not resumed a new table is filled, and it replaces the old
/// one at `ready`; nothing is announced before; an end is told once, also when the server repeats it after a resume. It
/// is a value without a clock or a socket, so it can be fed with anything that brings frames.
///
/// ```swift
/// var fold = ProgressFold()
/// for frame in try FrameDecoder.frames(bytes) {
///     for change in fold.apply(frame) { print(change) }
/// }
/// ```
public struct ProgressFold: Sendable {
    /// What to bring back when connecting again; nil until the first `hello`.
    public private(set) var resumePoint: ResumePoint?
    /// Milliseconds between heartbeats, as the server said.
    public private(set) var heartbeat: Int64 = 10_000
    /// Whether a heartbeat said that this copy is not the server's table: connect again without a resume point.
    public private(set) var isAstray = false
    /// How often that was so: none is the only right number.
    public private(set) var mismatches = 0

    private var table = Rows()
    private var filling: Rows?

    /// Begins without a table.
    public init() {}

    /// Folds one frame in and tells what it changed.
    public mutating func apply(_ frame: Frame) -> [TableChange] {
        if case .hello(let hello) = frame {
            self.begin(hello)
            return []
        }
        if let seq = frame.seq { self.resumePoint?.seq = seq }
        switch frame {
        case .ready: return self.ready()
        case .start, .progress, .complete, .removed:
            if self.filling != nil {
                _ = self.filling?.apply(frame)
                return []
            }
            return self.table.apply(frame)
        case .heartbeat(_, _, let open, let sum):
            if self.filling == nil { self.compare(open: open, sum: sum) }
            return []
        case .hello, .ack, .unknown: return []
        }
    }

    /// The transfers as they were last told, in the order of their birth.
    public var transfers: [Transfer] { self.table.transfers }

    /// One of them.
    public func transfer(_ id: TransferID) -> Transfer? { self.table[id] }

    private mutating func begin(_ hello: Frame.Hello) {
        self.resumePoint = ResumePoint(epoch: hello.epoch, seq: hello.seq)
        self.heartbeat = hello.heartbeat
        self.isAstray = false
        // A resumed one goes on with what it has, also with a table that was being filled when the connection broke.
        if !hello.resumed { self.filling = Rows() }
    }

    private mutating func ready() -> [TableChange] {
        guard var filled = self.filling else { return [.live] }
        filled.settle()
        self.table = filled
        self.filling = nil
        return [.table(filled.transfers), .live]
    }

    private mutating func compare(open: Int64?, sum: Int64?) {
        let mine = self.table.unfinished
        guard open ?? mine.count != mine.count || sum ?? mine.bytes != mine.bytes else { return }
        self.isAstray = true
        self.mismatches += 1
    }
}
