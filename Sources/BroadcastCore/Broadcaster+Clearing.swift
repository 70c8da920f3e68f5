// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

extension Broadcaster {
    /// The records of many transfers were deleted, of more than anybody wants to be told of one by one.
    ///
    /// The horizon moves, and everyone gets a `hello` and fills a new table: that is shorter than the list of what is
    /// gone. Rows that the table has forgotten long since go with it, for a viewer may still hold them.
    ///
    /// - Parameters:
    ///   - ids: those that have not ended are passed over.
    ///   - named: what connections named by id and the table does not hold; see `namedRows(missingAfterClearing:)`.
    ///   - at: goes into `hello`.
    ///   - sink: the way out.
    package mutating func clear(
        _ ids: Set<TransferID>,
        named: [TransferID: NamedRow],
        at: Timestamp,
        sink: some FrameSink
    ) {
        let rows = ids.compactMap { self.table[$0] }.filter { $0.latest.outcome != nil && !$0.isGone }
        // What waits for a number is still to be told, and so is its going.
        for row in rows where row.mark != .none { self.table.remove(row.transfer.id) }
        self.table.clear(rows.filter { $0.mark == .none })
        self.pieces.removeAll(keepingCapacity: true)
        for reader in self.readers(holding: ids) {
            guard let subscription = self.connections[reader]?.subscription else { continue }
            let missing = subscription.key.filter.ids.filter { self.table[$0] == nil }
            self.restart(
                reader,
                in: subscription,
                named: missing.map { named[$0] ?? .missing($0) },
                at: at,
                sink: sink
            )
        }
    }

    /// What connections that are told of this clearing have named, and the table does not hold: to be looked up before.
    package func namedRows(missingAfterClearing ids: Set<TransferID>) -> Set<TransferID> {
        var missing: Set<TransferID> = []
        for reader in self.readers(holding: ids) {
            for id in self.filter(of: reader)?.ids ?? [] where self.table[id] == nil { missing.insert(id) }
        }
        return missing
    }

    /// Who may hold one of these rows: whoever names rows, and none of these, holds none.
    private func readers(holding ids: Set<TransferID>) -> [ReaderID] {
        self.connections.filter { _, connection in
            let named = connection.subscription.key.filter.ids
            return named.isEmpty || !named.isDisjoint(with: ids)
        }.map(\.key)
    }
}
