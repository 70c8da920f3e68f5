// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// What viewers may want to see.
extension RandomRoom {
    func makeFilters() {
        var filters = [Command.Filter()]
        var some = Command.Filter()
        some.groups = ["a"]
        filters.append(some)
        some.kinds = [.demo, .upload]
        filters.append(some)
        some.groups = []
        filters.append(some)
        for count in [1, 8, 60] {
            var named = Command.Filter()
            // Some are there, some are not yet, and some never will be.
            named.ids = Set((0..<count).map { _ in self.dice.pick(self.ids) })
            filters.append(named)
            if count == 60 {
                named.groups = ["b", "c"]
                filters.append(named)
            }
        }
        self.filters = filters
        for filter in filters { self.epochs[self.epoch(of: filter)] = filter }
    }

    /// Asks another broadcaster of the same run, which has the same epochs.
    func epoch(of filter: Command.Filter) -> String {
        var other = Broadcaster(self.configuration)
        let sockets = FakeSockets()
        let reader = ReaderID(raw: 0)
        sockets.sockets[reader] = FakeSockets.Socket()
        let terms = Terms(filter: filter, interval: nil, framing: .webSocket)
        other.join(reader, terms, resume: nil, named: [], at: self.now, sink: sockets)
        let client = FoldingClient(truth: self.truth)
        client.take((try? Wire.frames(sockets.take(reader).flatMap { $0 }, .webSocket)) ?? [])
        return client.epoch
    }
}
