// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What a connection asks for when it comes.
package struct Terms: Sendable {
    /// Which rows it wants to see.
    package var filter: Command.Filter
    /// Milliseconds between frames that carry only figures, as asked for; nil = the default.
    package var interval: Int64?
    /// How frames become bytes.
    package var framing: Framing

    package init(filter: Command.Filter, interval: Int64?, framing: Framing) {
        self.filter = filter
        self.interval = interval
        self.framing = framing
    }
}

/// A row that a newcomer named and that is not in the table.
package enum NamedRow: Sendable {
    /// It is in the history.
    case past(Transfer)
    /// It is nowhere, or not yet.
    case missing(TransferID)
}

/// One connection, as the broadcaster knows it.
struct Connection {
    /// How many answers may wait before we stop reading what it sends.
    static let maximumAnswers = 64

    /// Where it stands in what it is owed.
    enum Standing {
        /// Has everything that its subscription has told; at this place among the level ones.
        case level(Int)
        /// Is in a round.
        case walking(Walk)
        /// Has more than its subscription has told; waits for the next payment, at this place among those who do.
        case above(Int, cursor: UInt64)
    }

    /// Something that goes out before any row that is owed.
    struct Answer {
        let bytes: [UInt8]
        /// How many frames that is.
        var frames = 1
        /// Whether it is of the rows that were named, so that a newer beginning makes it void.
        var isPast = false

        /// One frame.
        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        /// What was put together.
        init(_ assembler: consuming FrameAssembler, isPast: Bool) {
            self.bytes = assembler.finish()
            self.frames = assembler.frames
            self.isPast = isPast
        }
    }

    var subscription: Subscription
    var standing: Standing
    /// Whether nothing can be delivered until it has drained.
    var isFull = false
    /// Whether `ready` is still to come.
    var owesReady = true
    /// The one thing that is queued: answers, and the `hello` that must stand among them.
    var answers: [Answer] = []
    var isReadingPaused = false
}
