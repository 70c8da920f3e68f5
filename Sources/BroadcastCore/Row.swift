// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// One row of the table: a transfer, when it was born and last changed, and the bytes that tell it.
///
/// It is an object because lists of what is owed hold on to it while the table moves. Only the room that owns the table
/// may touch it.
package final class Row {
    /// The transfer as the last turn found it: what frames tell.
    package internal(set) var transfer: Transfer {
        didSet { self.birth.note(self.transfer) }
    }
    /// The transfer as it is by now, where that waits for the next turn.
    var next: Transfer?
    /// Whether the next turn makes a tombstone of it.
    var isToBeRemoved = false
    /// The `seq` of its birth; 0 until the first turn numbers it.
    package internal(set) var started: UInt64 = 0
    /// The `seq` of its last change.
    package internal(set) var changed: UInt64 = 0
    /// Whether its record is gone, and only this tombstone is left.
    package internal(set) var isRemoved = false

    /// When its last change was numbered: what its frames say as `at`.
    var at = Timestamp(milliseconds: 0)
    /// Whether the table has forgotten it; lists drop it when they meet it.
    var isForgotten = false
    /// Whether a turn has to number it, and whether that turn is urgent.
    var mark = Mark.none
    /// Whether the table keeps an older end of it.
    var hasEnding = false
    /// How many of its group had ended before it; counts only once it has ended.
    var endOrdinal = 0

    private var birth: Transfer.Birth
    private var whole: [UInt8]?
    /// Empty until they are made; the room stays while the row moves.
    private var figures: [UInt8] = []

    /// The most that a list of files may make of a `start` or `complete`, so that both fit into one write.
    private static let maximumWhole = 31 * 1024

    enum Mark { case none, figures, urgent }

    init(_ transfer: Transfer) {
        self.transfer = transfer
        self.birth = Transfer.Birth(transfer)
    }

    /// The transfer as it is by now.
    package var latest: Transfer { self.next ?? self.transfer }
    /// Whether its record is gone, also when no turn has told so yet.
    package var isGone: Bool { self.isRemoved || self.isToBeRemoved }

    var hasEnded: Bool { self.transfer.outcome != nil }

    /// What follows `seq` in a frame of this kind; made once per change, whoever asks.
    func tail(of frame: FrameEncoder.RowFrame) -> [UInt8] {
        switch frame {
        case .start, .complete:
            if let whole = self.whole { return whole }
            var made = FrameEncoder.wholeTail(of: self.transfer, born: self.birth, at: self.at)
            if made.count > Self.maximumWhole, self.transfer.files != nil {
                made = FrameEncoder.wholeTail(of: Self.withoutFiles(self.transfer), born: self.birth, at: self.at)
            }
            self.whole = made
            return made
        case .progress:
            if self.figures.isEmpty {
                self.figures.reserveCapacity(300)
                FrameEncoder.appendFiguresTail(of: self.transfer, born: self.birth, at: self.at, to: &self.figures)
            }
            return self.figures
        case .removed:
            return FrameEncoder.removedTail(id: self.transfer.id, outcome: self.transfer.outcome, at: self.at)
        }
    }

    /// The transfer as frames may hold it: without the list of files where that is too long.
    static func short(_ transfer: Transfer, at: Timestamp) -> Transfer {
        guard transfer.files != nil else { return transfer }
        let whole = FrameEncoder.wholeTail(of: transfer, at: at)
        return whole.count > Self.maximumWhole ? Self.withoutFiles(transfer) : transfer
    }

    private static func withoutFiles(_ transfer: Transfer) -> Transfer {
        var short = transfer
        short.files = nil
        return short
    }

    /// The row changed: its bytes are made anew when somebody asks.
    func outdateTails() {
        self.whole = nil
        self.figures.removeAll(keepingCapacity: true)
    }

    /// Lets go of the bytes: the row will hardly be told again.
    ///
    /// They can always be made anew.
    func dropTails() {
        self.whole = nil
        self.figures = []
    }
}
