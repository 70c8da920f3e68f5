// SPDX-License-Identifier: Apache-2.0

/// A transfer as the store keeps it.
///
/// It is unfinished as long as `finishedAt` is nil.
///
/// The columns are what the store searches by and what recovery needs; the transfer itself is `document`, which the
/// store does not read.
package struct TransferRecord: Sendable, Equatable {
    package var id: String
    /// Rises from transfer to transfer; the order of all lists.
    package var birth: Int64
    package var kind: String
    package var state: String
    package var outcome: String?
    package var name: String
    package var group: String?
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// Milliseconds since 1970.
    package var finishedAt: Int64?
    /// The transfer as JSON.
    package var document: String
    /// The whole address, secrets included; never leaves the server.
    package var url: String?
    /// What was asked for, as JSON.
    package var request: String?
    /// The strong ETag or the Last-Modified for If-Range.
    package var validator: String?
    /// How many bytes of the part file survive a loss of power.
    package var durableOffset: Int64
    /// The run of the kernel in which this was saved.
    package var bootID: String
    package var finalName: String?
    /// The bits of the kernel's unsigned number.
    package var inode: Int64?
    package var size: Int64?
    package var digest: String?
    package var retryOf: String?
    /// Where it comes from, as everybody may see it, in small letters: a search looks there, too.
    package var foldedSource: String
    /// Its attempts and rates as JSON; nil where there is nothing to tell.
    package var story: String?
    /// Where it stands in the line, or stood last: the lower, the sooner; 0 where it was in none.
    package var place: Int64
    /// Whether it was told to start at once.
    package var isHastened: Bool

    package init(
        id: String,
        birth: Int64,
        kind: String,
        state: String,
        outcome: String? = nil,
        name: String,
        group: String? = nil,
        createdAt: Int64,
        finishedAt: Int64? = nil,
        document: String,
        url: String? = nil,
        request: String? = nil,
        validator: String? = nil,
        durableOffset: Int64 = 0,
        bootID: String = "",
        finalName: String? = nil,
        inode: Int64? = nil,
        size: Int64? = nil,
        digest: String? = nil,
        retryOf: String? = nil,
        foldedSource: String = "",
        story: String? = nil,
        place: Int64 = 0,
        isHastened: Bool = false
    ) {
        self.id = id
        self.birth = birth
        self.kind = kind
        self.state = state
        self.outcome = outcome
        self.name = name
        self.group = group
        self.createdAt = createdAt
        self.finishedAt = finishedAt
        self.document = document
        self.url = url
        self.request = request
        self.validator = validator
        self.durableOffset = durableOffset
        self.bootID = bootID
        self.finalName = finalName
        self.inode = inode
        self.size = size
        self.digest = digest
        self.retryOf = retryOf
        self.foldedSource = foldedSource
        self.story = story
        self.place = place
        self.isHastened = isHastened
    }
}
