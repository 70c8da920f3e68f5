// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets

/// Where a `ConnectionID` finds its connection: plain structs in one piece of memory, so that a write looks up once and counts no references.
///
/// Only the loop thread touches it. A slot's generation rises whenever what it names ends: a connection, or one request on it.
@safe
struct ConnectionTable: ~Copyable {
    enum Kind: UInt8 {
        case free
        /// HTTP between two requests, or before the first.
        case idle
        /// A request is under way; its `Exchange` lies beside the table.
        case exchange
        case webSocket
        case eventStream
        /// It was told to end; nothing more is written to it.
        case closing
    }

    @safe
    struct Slot {
        var wsi: OpaquePointer?
        var generation: UInt32 = 0
        var nextFree: UInt32 = 0
        /// The connection's socket.
        var descriptor: Int32 = -1
        var kind = Kind.free
        /// The application was told that it opened, and has to hear that it closed.
        var isAnnounced = false
        var isWebSocket = false
        var wantsDrain = false
        /// Reading is switched off.
        var isHeld = false
        /// How many bytes were read when the last answer was out; 0 before that, -1 when it could not be found out.
        var readBefore: Int64 = 0
        /// When libwebsockets began to hold a rest (ns, 0: it holds none).
        var fullSince: UInt64 = 0
        /// When a WebSocket was last heard of, its pongs included (ns).
        var heardAt: UInt64 = 0
        /// A ping has gone out since then.
        var isPinged = false
        /// The next short write takes a ping along.
        var wantsPing = false
    }

    private static let none = UInt32.max

    private let slots: UnsafeMutablePointer<Slot>
    private let capacity: Int
    private var firstFree: UInt32 = Self.none
    /// Slots that were ever used: what a sweep has to look at.
    private(set) var used = 0
    private(set) var count = 0

    init(capacity: Int) {
        unsafe self.slots = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        unsafe self.slots.deallocate()
    }

    var isFull: Bool { self.count >= self.capacity }

    /// Nil when the table is full.
    mutating func insert(_ wsi: OpaquePointer, descriptor: Int32) -> UInt32? {
        let index: UInt32
        if self.firstFree != Self.none {
            index = self.firstFree
            self.firstFree = unsafe self.slots[Int(index)].nextFree
        } else {
            guard self.used < self.capacity else { return nil }
            index = UInt32(self.used)
            unsafe (self.slots + self.used).initialize(to: Slot())
            self.used += 1
        }
        let generation = unsafe self.slots[Int(index)].generation
        unsafe self.slots[Int(index)] = Slot(
            wsi: wsi,
            generation: generation &+ 1,
            descriptor: descriptor,
            kind: .idle
        )
        self.count += 1
        return index
    }

    mutating func remove(_ index: UInt32) {
        let generation = unsafe self.slots[Int(index)].generation
        unsafe self.slots[Int(index)] = Slot(wsi: nil, generation: generation &+ 1, nextFree: self.firstFree)
        self.firstFree = index
        self.count -= 1
    }

    /// A slot that is known to be in use; `index` is below `used`.
    subscript(_ index: UInt32) -> Slot {
        get {
            precondition(Int(index) < self.used, "slot \(index) of \(self.used)")
            return unsafe self.slots[Int(index)]
        }
        nonmutating _modify {
            precondition(Int(index) < self.used, "slot \(index) of \(self.used)")
            yield unsafe &self.slots[Int(index)]
        }
    }

    /// Whether the id still names what it named.
    func names(_ id: ConnectionID) -> Bool {
        guard Int(id.slot) < self.used else { return false }
        return unsafe self.slots[Int(id.slot)].generation == id.generation
    }

    func id(of index: UInt32) -> ConnectionID {
        ConnectionID(slot: index, generation: self[index].generation)
    }
}
