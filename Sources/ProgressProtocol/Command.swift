// SPDX-License-Identifier: Apache-2.0

/// What a client asks for: over the socket with `op`, over HTTP by path and body.
///
/// Both are the same and go through here.
public enum Command: Hashable, Sendable {
    /// Fetch a link into the store.
    case download(Download)
    /// Send a stored file, or what is behind a link, to a remote endpoint.
    case push(Push)
    /// Send one file, or what is behind one link, to several endpoints.
    case pushes(Pushes)
    /// Play a script.
    case demo(Demo)
    /// Show how far work is that somebody else does.
    case task(Work)
    /// Tell how far it is.
    case report(Report, TransferID)
    /// Do something to a transfer that is there.
    case steer(Action, TransferID)
    /// Let something be different about a transfer that is there.
    case change(Change, TransferID)
    /// Replace the connection's filter.
    case watch(Filter)
    /// Change the connection's cadence alone: milliseconds, as they came.
    case pace(interval: Int64?)
    /// Tell everything from the beginning.
    case sync
    /// Answer, no more.
    case ping

    /// What one may do to a transfer.
    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// Let it stand still.
        case pause
        /// Let it go on; now, if it waits to retry.
        case resume
        /// Let it go at once, whoever else waits.
        case start
        /// Call it off.
        case cancel
        /// Make a new transfer that tries again what ended.
        case retry
        /// Delete its record.
        case delete
    }

    /// A link to fetch.
    public struct Download: Hashable, Sendable {
        /// As it came; judged by the server.
        public var url: String
        /// The name that the creator wants, instead of what the source says.
        public var name: String?
        /// What belongs together.
        public var group: String?
        /// The checksum that the file must have.
        public var checksum: String?
        /// Further request headers.
        public var headers: [String: String] = [:]
        /// Its place among those that wait: see ``Command/priorities``.
        public var priority = 0
        /// How many bytes a second it may bring at most; nil = any.
        public var maxRate: Int64?
        /// The `Idempotency-Key`.
        public var key: String?

        /// Makes the order to fetch a link.
        public init(url: String, name: String? = nil, group: String? = nil, checksum: String? = nil, key: String? = nil)
        {
            self.url = url
            self.name = name
            self.group = group
            self.checksum = checksum
            self.key = key
        }
    }

    /// A script to play: the dummy download.
    public struct Demo: Hashable, Sendable {
        /// Its name.
        public var name: String?
        /// What belongs together.
        public var group: String?
        /// Bytes; nil = a default.
        public var total: Int64?
        /// Bytes per second; nil = a default.
        public var rate: Int64?
        /// The same seed plays the same bytes and states.
        public var seed: Int64?
        /// Whether `total` is told only at the end.
        public var unknownTotal = false
        /// Fails once so many bytes are there.
        public var failAt: Int64?
        /// Stalls for a while once so many bytes are there.
        public var stallAt: Int64?
        /// The `Idempotency-Key`.
        public var key: String?

        /// Makes the order to play a script with every default.
        public init() {}
    }

    /// Which rows a connection wants to see: values of one key are OR-ed, keys are AND-ed, none = everything.
    public struct Filter: Hashable, Sendable {
        /// At most so many values in all.
        public static let maximumValues = 100

        /// These ids.
        public var ids: Set<TransferID> = []
        /// These groups.
        public var groups: Set<String> = []
        /// These kinds.
        public var kinds: Set<TransferKind> = []

        /// Everything.
        public init() {}

        /// Whether it lets every row through.
        public var isEverything: Bool { self.ids.isEmpty && self.groups.isEmpty && self.kinds.isEmpty }

        /// How many values it names.
        public var valueCount: Int { self.ids.count + self.groups.count + self.kinds.count }

        /// Whether a row with these fields, which never change, is seen.
        public func matches(id: TransferID, group: String?, kind: TransferKind) -> Bool {
            (self.ids.isEmpty || self.ids.contains(id))
                && (self.groups.isEmpty || group.map { self.groups.contains($0) } ?? false)
                && (self.kinds.isEmpty || self.kinds.contains(kind))
        }
    }
}
