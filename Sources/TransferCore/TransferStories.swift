// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// The stories of all that moves, and of what ended lately.
package struct TransferStories: Sendable {
    /// How many stories of ended transfers are kept; the oldest end goes first.
    package static let maximumEnded = 1000

    private var stories: [TransferID: TransferStory] = [:]
    private var ended: [TransferID] = []

    package init() {}

    package subscript(id: TransferID) -> TransferStory? { self.stories[id] }

    /// Takes how a transfer is now.
    package mutating func observe(_ transfer: Transfer, at moment: Moment) {
        self.stories[transfer.id, default: TransferStory(bytes: transfer.bytes, at: moment)].observe(
            transfer,
            at: moment
        )
        guard transfer.outcome != nil, self.ended.last != transfer.id else { return }
        self.ended.append(transfer.id)
        if self.ended.count > Self.maximumEnded { self.forget(self.ended.removeFirst()) }
    }

    /// Goes on with the story of one that an earlier run left unfinished.
    package mutating func restore(_ story: TransferStory, of id: TransferID) {
        self.stories[id] = story
    }

    /// Lets go of what was deleted.
    package mutating func forget(_ id: TransferID) {
        self.stories[id] = nil
    }
}
