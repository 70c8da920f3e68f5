// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// Who may move bytes now: the higher priority first, of equal ones who came first.
///
/// At most so many go in all, and so many for each host; who was told to start at once goes beyond both limits.
/// One whose host is full waits and holds up nobody behind it but those of its host. Each host has its own line; a heap
/// holds the hosts that could send somebody, by who stands first in their lines. Whoever leaves a line or changes its
/// place there stays in the heaps as an entry that is out of date, which is dropped when it comes up.
package struct AdmissionQueue: Sendable {
    /// Where somebody stands: the least comes first.
    private struct Rank: Sendable, Comparable {
        let priority: Int
        let place: Int64

        static func < (one: Self, other: Self) -> Bool {
            one.priority != other.priority ? one.priority > other.priority : one.place < other.place
        }
    }

    private enum Place: Sendable, Equatable {
        case waiting(Rank, host: String)
        /// Told to start at once.
        case hastened(Rank, host: String)
        case active(host: String)

        func isHastened(_ rank: Rank) -> Bool {
            guard case .hastened(rank, _) = self else { return false }
            return true
        }
    }

    private struct Line: Sendable {
        var active = 0
        var waiting = 0
        var entries = LazyHeap<Rank, TransferID>()
        /// The best rank under which the heap of hosts knows it; nil when it doesn't.
        var offered: Rank?
    }

    /// Who is told to start goes beyond the limits, but not beyond what a machine can hold open.
    private static let mostHastened = 1000

    private let maximumActive: Int
    private let maximumPerHost: Int
    private var places: [TransferID: Place] = [:]
    private var lines: [String: Line] = [:]
    private var hosts = LazyHeap<Rank, String>()
    private var hastened = LazyHeap<Rank, TransferID>()
    private var hastenedCount = 0
    private var lastPlace: Int64 = 0
    /// How many hold a place.
    package private(set) var activeCount = 0

    package init(maximumActive: Int = 4, maximumPerHost: Int = 2) {
        self.maximumActive = max(maximumActive, 1)
        self.maximumPerHost = max(maximumPerHost, 1)
    }

    /// How many stand in line.
    package var waitingCount: Int { self.places.count - self.activeCount }

    /// Whether it stands in line.
    package func isWaiting(_ id: TransferID) -> Bool {
        switch self.places[id] {
        case nil, .active: false
        case .waiting, .hastened: true
        }
    }

    /// Goes into the line; who is in already stays where it is.
    ///
    /// - Parameters:
    ///   - id: who.
    ///   - host: for which it counts.
    ///   - place: the lower, the sooner among those of the same priority; each is given once, and nil is the end.
    ///   - priority: the higher, the sooner.
    ///   - isHastened: whether it is to start at once.
    package mutating func enter(
        _ id: TransferID,
        host: String,
        place: Int64? = nil,
        priority: Int = 0,
        isHastened: Bool = false
    ) {
        guard self.places[id] == nil else { return }
        let rank = Rank(priority: priority, place: place ?? self.lastPlace + 1)
        self.lastPlace = max(self.lastPlace, rank.place)
        self.lines[host, default: Line()].waiting += 1
        self.places[id] = .waiting(rank, host: host)
        if isHastened { self.hasten(id) } else { self.stand(id, rank, host) }
    }

    /// Gives it another priority, if it stands in line.
    package mutating func change(_ id: TransferID, priority: Int) {
        guard case .waiting(let old, let host) = self.places[id], old.priority != priority else { return }
        let rank = Rank(priority: priority, place: old.place)
        self.places[id] = .waiting(rank, host: host)
        self.stand(id, rank, host)
        self.tidy(host)
    }

    /// Lets it start at once, if it stands in line: it is the next whom `admit` names, whatever the limits are.
    package mutating func hasten(_ id: TransferID) {
        guard case .waiting(let rank, let host) = self.places[id] else { return }
        self.places[id] = .hastened(rank, host: host)
        self.hastened.add(rank, id)
        self.hastenedCount += 1
        let places = self.places
        self.hastened.tidy(keeping: self.hastenedCount) { rank, id in places[id]?.isHastened(rank) == true }
        self.tidy(host)
    }

    /// Leaves the line, or gives its place back; who is not in is not missed.
    package mutating func leave(_ id: TransferID) {
        switch self.places.removeValue(forKey: id) {
        case nil: return
        case .active(let host):
            self.activeCount -= 1
            self.lines[host]?.active -= 1
            self.offer(host)
            self.forget(host)
        case .waiting(_, let host):
            self.lines[host]?.waiting -= 1
            self.tidy(host)
            self.forget(host)
        case .hastened(_, let host):
            self.hastenedCount -= 1
            self.lines[host]?.waiting -= 1
            self.forget(host)
        }
    }

    /// Those who may go now, in order; they hold their places until they `leave`.
    package mutating func admit() -> [TransferID] {
        var admitted: [TransferID] = []
        while self.activeCount < max(self.maximumActive, Self.mostHastened),
            let (rank, id) = self.hastened.removeFirst()
        {
            guard case .hastened(rank, let host) = self.places[id] else { continue }
            self.hastenedCount -= 1
            self.admit(id, host, &admitted)
        }
        while self.activeCount < self.maximumActive, let (rank, host) = self.hosts.removeFirst() {
            guard self.lines[host]?.offered == rank else { continue }  // it was offered anew since
            self.lines[host]?.offered = nil
            guard let head = self.head(of: host) else {
                self.forget(host)
                continue
            }
            guard head.rank == rank else {
                self.offer(host)  // the one it spoke of has left
                continue
            }
            guard self.hasRoom(host) else { continue }
            self.lines[host]?.entries.removeFirst()
            self.admit(head.id, host, &admitted)
            self.offer(host)
        }
        return admitted
    }

    private mutating func admit(_ id: TransferID, _ host: String, _ admitted: inout [TransferID]) {
        self.lines[host]?.waiting -= 1
        self.lines[host]?.active += 1
        self.places[id] = .active(host: host)
        self.activeCount += 1
        admitted.append(id)
    }

    private mutating func stand(_ id: TransferID, _ rank: Rank, _ host: String) {
        self.lines[host]?.entries.add(rank, id)
        self.offer(host)
    }

    /// Puts a host into the heap if it could send somebody, and stands there further back or not at all.
    private mutating func offer(_ host: String) {
        guard self.hasRoom(host), let head = self.head(of: host) else { return }
        if let offered = self.lines[host]?.offered, offered <= head.rank { return }
        self.lines[host]?.offered = head.rank
        self.hosts.add(head.rank, host)
        let lines = self.lines
        self.hosts.tidy(keeping: lines.count) { rank, host in lines[host]?.offered == rank }
    }

    /// Who stands first in a host's line, past those who have left.
    private mutating func head(of host: String) -> (rank: Rank, id: TransferID)? {
        while let (rank, id) = self.lines[host]?.entries.first {
            if self.places[id] == .waiting(rank, host: host) { return (rank, id) }
            self.lines[host]?.entries.removeFirst()
        }
        return nil
    }

    private func hasRoom(_ host: String) -> Bool {
        guard let active = self.lines[host]?.active else { return false }
        return active < self.maximumPerHost
    }

    private mutating func tidy(_ host: String) {
        guard let waiting = self.lines[host]?.waiting else { return }
        let places = self.places
        self.lines[host]?.entries.tidy(keeping: waiting) { rank, id in places[id] == .waiting(rank, host: host) }
    }

    private mutating func forget(_ host: String) {
        guard let line = self.lines[host], line.active == 0, line.waiting == 0 else { return }
        self.lines[host] = nil
    }
}
