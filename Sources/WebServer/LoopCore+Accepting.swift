// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

extension LoopCore {
    /// From now on the listening socket is looked at.
    func beginAccepting() {
        guard self.stop == nil, !self.isContextEnding, unsafe self.listenerWsi == nil, let vhost = unsafe self.vhost
        else { return }
        unsafe self.listenerWsi = headway_adopt_file(vhost, self.listener, LibraryConstants.listenerProtocol)
        guard unsafe self.listenerWsi == nil else { return }
        self.listener = -1
        LogBridge.write("libwebsockets did not take the listening socket: nobody can connect")
    }

    /// Takes what waits at the listening socket, up to a batch: others want their turn too.
    func acceptAll() {
        for _ in 0..<64 {
            let descriptor = headway_accept(self.listener)
            if descriptor >= 0 {
                self.admit(descriptor)
            } else if errno == EMFILE || errno == ENFILE {
                guard self.shed() else { return self.pauseAccepting() }
            } else if errno != ECONNABORTED && errno != EINTR {
                return
            }
        }
    }

    private func admit(_ descriptor: Int32) {
        guard let vhost = unsafe self.vhost, !self.table.isFull else {
            self.refuse(
                descriptor,
                "the limit of \(self.maximumConnections) connections is reached: new ones are answered 503"
            )
            return
        }
        // Stale figures don't queue up in the kernel behind a slow reader.
        _ = headway_set_option(descriptor, Int32(IPPROTO_TCP), headway_tcp_notsent_lowat, 16_384)
        _ = headway_set_option(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        guard let wsi = unsafe lws_adopt_socket_vhost(vhost, descriptor) else {
            self.counts.refused += 1
            return
        }
        guard let slot = unsafe self.table.insert(wsi, descriptor: descriptor) else {
            unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC)
            return
        }
        unsafe lws_set_opaque_user_data(wsi, UnsafeMutableRawPointer(bitPattern: Int(slot) + 1))
        if self.exchanges.count <= Int(slot) { self.exchanges.append(nil) }
        self.counts.accepted += 1
    }

    private func refuse(_ descriptor: Int32, _ reason: String) {
        self.counts.refused += 1
        LogBridge.write(reason)
        let answer = ResponseHead.bytes(
            status: 503,
            headers: [("Retry-After", "5")],
            length: .exactly(0),
            connection: "close"
        )
        _ = unsafe answer.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        Glibc.close(descriptor)
    }

    /// Out of descriptors: gives up the spare one to take a connection and turn it away, else it would stay readable for ever.
    ///
    /// False: nothing was to be had.
    private func shed() -> Bool {
        guard self.reserve >= 0 else {
            self.reserve = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
            return false
        }
        Glibc.close(self.reserve)
        let descriptor = headway_accept(self.listener)
        if descriptor >= 0 { self.refuse(descriptor, "out of file descriptors: new connections are answered 503") }
        self.reserve = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        return descriptor >= 0
    }

    /// Nothing can be taken: the listening socket would stay readable and keep the loop from resting.
    private func pauseAccepting() {
        unsafe lws_rx_flow_control(self.listenerWsi, 0)
        self.addTimer(deadline: headway_monotonic_ns() + 100_000_000) { [weak self] in
            guard let self, self.stop == nil else { return }
            unsafe lws_rx_flow_control(self.listenerWsi, 1)
        }
    }

    /// libwebsockets has closed a connection, whoever wanted it.
    func connectionGone(_ slot: UInt32) {
        let id = self.table.id(of: slot)
        let old = self.table[slot]
        self.piecesGone(slot)
        if old.isWebSocket {
            self.counts.webSockets -= 1
        } else if old.isAnnounced {
            self.counts.eventStreams -= 1
        }
        self.exchanges[Int(slot)]?.end()
        self.exchanges[Int(slot)] = nil
        self.fragments[slot] = nil
        self.farewells[slot] = nil
        self.table.remove(slot)
        if old.isAnnounced { self.application?.closed(id) }
    }
}
