// SPDX-License-Identifier: Apache-2.0
import Locks

/// Orders on their way to the curl thread.
///
/// Any thread posts; the curl thread takes.
final class CurlMailbox: Sendable {
    enum Order: Sendable {
        case start(DownloadHandle, DownloadRequest, any DownloadReceiver)
        case stop(DownloadHandle)
        case resume(DownloadHandle)
        case limit(DownloadHandle, Int64?)
        case limitAll(Int64?)
    }

    private struct State {
        var orders: [Order] = []
        var isClosed = false
    }

    let multi: CurlMulti
    private let state = Locked(State())

    init(multi: CurlMulti) {
        self.multi = multi
    }

    /// False after `close()`: nobody will take it.
    func post(_ order: Order) -> Bool {
        let (accepted, wasEmpty) = self.state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.orders.append(order)
            return (true, state.orders.count == 1)
        }
        if wasEmpty { self.multi.wakeUp() }
        return accepted
    }

    func close() {
        self.state.withLock { $0.isClosed = true }
        self.multi.wakeUp()
    }

    /// What has come in, and whether nothing will follow.
    func take() -> (orders: [Order], isClosed: Bool) {
        self.state.withLock { state in
            let orders = state.orders
            state.orders = []
            return (orders, state.isClosed)
        }
    }
}
