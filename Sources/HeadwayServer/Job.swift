// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferCore
import TransferStorage

/// What the coordinator keeps of an unfinished transfer: its machine, and the hands that carry out the orders.
///
/// It lives on the loop, inside the coordinator.
struct Job {
    /// Who moves the bytes.
    ///
    /// Kept apart from the job: of those that wait by the thousand, each would take the room of the largest.
    indirect enum Driver {
        /// A link is fetched.
        case download(Download)
        /// A stored file is sent.
        case push(Push)
        /// A script plays.
        case demo(DemoPlayer)
        /// A sender brings it.
        case upload(Upload)
        /// Somebody else works, and reports.
        case task(WorkLease)
    }

    /// A download's link and what it was asked with.
    struct Download {
        let link: SourceLink
        let order: Command.Download
        /// The part file, once it is open.
        var part: PartFile?
        /// The running fetch, once libcurl has it.
        var handle: DownloadHandle?
        /// Whether a fetch was ordered and has not ended.
        var isFetching = false
        /// Whether the fetch is to be stopped as soon as libcurl has it.
        var isStopping = false
    }

    /// A push's places and what it was asked with.
    struct Push {
        let link: SourceLink
        /// Where it comes from, when it is fetched and not stored.
        let source: SourceLink?
        let order: Command.Push
        /// Where it goes by now, after redirects.
        var target: SourceLink
        var redirects = 0
        /// The running request, once libcurl has it.
        var handle: DownloadHandle?
        var sink: PushSink?
        /// Whether a request was ordered and has not ended.
        var isSending = false
        /// Whether it is to be stopped as soon as libcurl has it.
        var isStopping = false
        /// Whether a former run of the server may have sent it already.
        var mayBeTaken = false
        /// What the other side said last.
        var answer: RemoteAnswer?

        /// The relay that it belongs to, from the moment it asks for a place until it gives it back.
        var relay: TransferID?
        /// Whether its bytes come while it is sent: then an error says of which side it is.
        var isOnTheWay: Bool

        init(link: SourceLink, source: SourceLink?, order: Command.Push) {
            self.link = link
            self.source = source
            self.isOnTheWay = source != nil
            self.order = order
            self.target = link
        }
    }

    var machine: TransferMachine
    /// The order in which transfers were born, over all runs.
    let birth: Int64
    var driver: Driver
    /// Bytes of the part that survive a power cut.
    var durable: Int64 = 0
    /// When the part was last synced.
    var syncedAt: Duration = .zero
    var isSyncing = false
    /// Where it stands in the line, or stood last: each place is given once; 0 before it has any.
    var place: Int64 = 0
    /// Whether it has stood in its place: then the next one is at the end.
    var hasAsked = false
    /// Whether it was told to start at once; holds until it is paused or has ended.
    var isHastened = false
    /// When it went to the end of the line.
    var askedAt: Duration = .zero
    /// Whether the record is being published, and under which name.
    var published: Published?
    /// The digest that was committed with that name.
    var digest: String?
    /// The file that a former run gave its final name, whose end it could not record any more.
    var adopted: Published?
    /// Whether the publishing is still wanted.
    var wantsPublishing = true

    /// Whether a file comes in that can be read meanwhile.
    var isReadable: Bool {
        switch self.driver {
        case .download: true
        case .upload(let upload): upload.files.count < 2
        case .push, .demo, .task: false
        }
    }

    var transfer: Transfer { self.machine.transfer }

    /// The record as it is to be kept.
    func record() -> TransferRecord {
        let transfer = self.transfer
        var record = TransferRecord(
            id: transfer.id.description,
            birth: self.birth,
            kind: transfer.kind.rawValue,
            state: transfer.state.rawValue,
            outcome: transfer.outcome?.rawValue,
            name: transfer.name,
            group: transfer.group,
            createdAt: transfer.createdAt.milliseconds,
            finishedAt: transfer.finishedAt?.milliseconds,
            document: String(decoding: transfer.document(), as: UTF8.self)
        )
        record.validator = self.machine.validator
        record.durableOffset = self.durable
        record.bootID = kernelBootID
        record.finalName = self.published?.name
        record.inode = self.published.map { Int64(bitPattern: $0.inode) }
        record.size = self.published?.size
        record.digest = transfer.digest ?? self.digest
        record.retryOf = transfer.retryOf?.description
        record.place = self.place
        record.isHastened = self.isHastened
        record.foldedSource = transfer.source?.lowercased() ?? ""
        switch self.driver {
        case .download(let download):
            record.url = download.link.url
            record.request = download.order.document(announced: self.machine.announced)
        case .push(let push):
            record.url = push.link.url
            record.request = push.order.json.text
        case .demo(let player): record.request = player.order.json.text
        case .upload(let upload): record.request = upload.document
        case .task(let lease): record.request = lease.order.json.text
        }
        return record
    }
}

/// The kernel's boot id, read once: the page cache lives as long as it stays.
let kernelBootID = TransferStorage.kernelBootID()
