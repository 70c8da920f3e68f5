// SPDX-License-Identifier: Apache-2.0

/// First in, first out, at a constant price: one array is filled while another is emptied from its end.
struct Fifo<Element> {
    private var incoming: [Element] = []
    private var outgoing: [Element] = []

    var isEmpty: Bool { self.incoming.isEmpty && self.outgoing.isEmpty }

    mutating func append(_ element: Element) {
        self.incoming.append(element)
    }

    mutating func popFirst() -> Element? {
        if self.outgoing.isEmpty {
            self.outgoing = self.incoming.reversed()
            self.incoming.removeAll(keepingCapacity: true)
        }
        return self.outgoing.popLast()
    }
}
