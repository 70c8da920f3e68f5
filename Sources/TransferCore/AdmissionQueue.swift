// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// Who may move bytes now: first come, first served, at most so many in all and so many for each host.
///
/// One whose host is full waits and holds up nobody behind it but those of its host. Each host has its own line; a heap
/// holds the hosts that could send somebody, by who stands first in their lines. An entry of the heap may be out of
/// date: it then speaks of somebody who has left, never of somebody further back, and is corrected when it comes up.
package struct AdmissionQueue: Sendable {
    private enum Place: Sendable, Equatable {
        case waiting(number: UInt64, host: String)
        case active(host: String)
    }

    private struct Line: Sendable {
        var active = 0
        var waiting = 0
        var entries: [(number: UInt64, id: TransferID)] = []
        var first = 0
        var isInHeap = false

        mutating func compact(_ keep: (UInt64, TransferID) -> Bool) {
            guard self.entries.count > 32, self.entries.count > 2 * self.waiting else { return }
            self.entries = self.entries[self.first...].filter { keep($0.number, $0.id) }
            self.first = 0
        }
    }

    private let maximumActive: Int
    private let maximumPerHost: Int
    private var places: [TransferID: Place] = [:]
    private var lines: [String: Line] = [:]
    private var heap: [(number: UInt64, host: String)] = []
    private var nextNumber: UInt64 = 0
    /// How many hold a place.
    package private(set) var activeCount = 0

    package init(maximumActive: Int = 4, maximumPerHost: Int = 2) {
        self.maximumActive = max(maximumActive, 1)
        self.maximumPerHost = max(maximumPerHost, 1)
    }

    /// How many stand in line.
    package var waitingCount: Int { self.places.count - self.activeCount }

    /// Goes to the end of the line; who is in already stays where it is.
    package mutating func enter(_ id: TransferID, host: String) {
        guard self.places[id] == nil else { return }
        let number = self.nextNumber
        self.nextNumber += 1
        self.places[id] = .waiting(number: number, host: host)
        self.lines[host, default: Line()].entries.append((number, id))
        self.lines[host, default: Line()].waiting += 1
        self.offer(host)
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
            let places = self.places
            self.lines[host]?.compact { number, id in places[id] == .waiting(number: number, host: host) }
            self.forget(host)
        }
    }

    /// Those who may go now, in order; they hold their places until they `leave`.
    package mutating func admit() -> [TransferID] {
        var admitted: [TransferID] = []
        while self.activeCount < self.maximumActive, let candidate = self.popHeap() {
            self.lines[candidate.host]?.isInHeap = false
            guard let head = self.head(of: candidate.host) else {
                self.forget(candidate.host)
                continue
            }
            guard head.number == candidate.number else {
                self.offer(candidate.host)  // the one it spoke of has left
                continue
            }
            guard var line = self.lines[candidate.host], line.active < self.maximumPerHost else { continue }
            line.first += 1
            line.waiting -= 1
            line.active += 1
            if line.first > 32, line.first > line.entries.count / 2 {
                line.entries.removeFirst(line.first)
                line.first = 0
            }
            self.lines[candidate.host] = line
            self.places[head.id] = .active(host: candidate.host)
            self.activeCount += 1
            admitted.append(head.id)
            self.offer(candidate.host)
        }
        return admitted
    }

    /// Puts a host into the heap if it could send somebody.
    private mutating func offer(_ host: String) {
        guard let line = self.lines[host], !line.isInHeap, line.active < self.maximumPerHost,
            let head = self.head(of: host)
        else { return }
        self.lines[host]?.isInHeap = true
        self.pushHeap((head.number, host))
    }

    /// Who stands first in a host's line, past those who have left.
    private mutating func head(of host: String) -> (number: UInt64, id: TransferID)? {
        guard let line = self.lines[host] else { return nil }
        var first = line.first
        while first < line.entries.count {
            let entry = line.entries[first]
            if self.places[entry.id] == .waiting(number: entry.number, host: host) { break }
            first += 1
        }
        self.lines[host]?.first = first
        return first < line.entries.count ? line.entries[first] : nil
    }

    private mutating func forget(_ host: String) {
        guard let line = self.lines[host], line.active == 0, line.waiting == 0 else { return }
        self.lines[host] = nil
        guard line.isInHeap else { return }
        guard let index = self.heap.firstIndex(where: { $0.host == host }) else { return }
        self.heap.swapAt(index, self.heap.count - 1)
        self.heap.removeLast()
        if index < self.heap.count {
            self.sink(index)
            self.rise(index)
        }
    }
}

extension AdmissionQueue {
    private mutating func pushHeap(_ entry: (number: UInt64, host: String)) {
        self.heap.append(entry)
        self.rise(self.heap.count - 1)
    }

    private mutating func popHeap() -> (number: UInt64, host: String)? {
        guard let top = self.heap.first else { return nil }
        let last = self.heap.removeLast()
        if !self.heap.isEmpty {
            self.heap[0] = last
            self.sink(0)
        }
        return top
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, self.heap[index].number < self.heap[(index - 1) / 2].number {
            self.heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < self.heap.count && self.heap[child].number < self.heap[least].number {
                least = child
            }
            guard least != index else { return }
            self.heap.swapAt(index, least)
            index = least
        }
    }
}
