// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc
import Synchronization

/// C strings and structs that libwebsockets keeps pointers to: made once, for the life of the process.
@safe
struct LibraryConstants: @unchecked Sendable {
    // @unchecked Sendable: written once by the initialiser of `shared`, then only read.
    static let shared = LibraryConstants()

    let protocols: UnsafeMutablePointer<lws_protocols>
    let retry: UnsafeMutablePointer<lws_retry_bo_t>
    let alpn: UnsafePointer<CChar>?
    /// No sub-protocol can be asked for under a name with a space.
    static let wakeProtocol = "headway wake"
    static let timerProtocol = "headway timer"
    static let listenerProtocol = "headway listener"
    static let watchProtocol = "headway watch"

    private init() {
        unsafe self.protocols = .allocate(capacity: 6)
        unsafe self.protocols.initialize(repeating: lws_protocols(), count: 6)
        unsafe self.protocols[0].callback = connectionCallback
        unsafe self.protocols[1].callback = wakeCallback
        unsafe self.protocols[2].callback = timerCallback
        unsafe self.protocols[3].callback = listenerCallback
        unsafe self.protocols[4].callback = watchCallback
        let names = [
            "headway.v1", Self.wakeProtocol, Self.timerProtocol, Self.listenerProtocol, Self.watchProtocol,
        ]
        for (index, name) in names.enumerated() {
            unsafe self.protocols[index].name = UnsafePointer(strdup(name))
            // What one WebSocket connection holds for reading; messages are put together by us.
            unsafe self.protocols[index].rx_buffer_size = 2_048
            unsafe self.protocols[index].tx_packet_size = 65_536
        }
        unsafe self.retry = .allocate(capacity: 1)
        // All zero: libwebsockets neither pings nor hangs up; see LoopCore+Pings.swift.
        unsafe self.retry.initialize(to: lws_retry_bo_t())
        unsafe self.alpn = UnsafePointer(strdup("http/1.1"))
    }
}

/// Whether a loop of this process runs on libev: it may watch SIGINT, which it always does, from one loop only, and ends the process else.
private let isLibevTaken = Atomic<Bool>(false)

extension LoopCore {
    /// Makes the context and hands our own descriptors to it.
    ///
    /// Runs once, on the loop thread.
    func open() throws(WebServerError) {
        if self.configuration.maximumConnections > self.maximumConnections {
            self.configuration.log(
                "the limit of open files allows \(self.maximumConnections) connections, not \(self.configuration.maximumConnections)"
            )
        }
        // libev takes SIGINT for itself; whose it was gets it back.
        var interrupt = sigaction()
        _ = unsafe sigaction(SIGINT, nil, &interrupt)
        if !self.configuration.usesPoll && isLibevTaken.exchange(true, ordering: .acquiringAndReleasing) {
            self.configuration.log("another loop of this process has libev: this one uses the slower poll loop")
        } else if !self.configuration.usesPoll {
            unsafe self.context = self.makeContext(options: UInt64(LWS_SERVER_OPTION_LIBEV))
            self.usesLibev = unsafe self.context != nil
            _ = unsafe sigaction(SIGINT, &interrupt, nil)
            if unsafe self.context == nil {
                isLibevTaken.store(false, ordering: .releasing)
                self.configuration.log(
                    "libev can't be loaded (package libwebsockets-evlib-ev): the slower poll loop is used"
                )
            }
        }
        if unsafe self.context == nil { unsafe self.context = self.makeContext(options: 0) }
        guard let context = unsafe self.context, let vhost = unsafe lws_get_vhost_by_name(context, "default") else {
            throw WebServerError(.library, "libwebsockets could not make its context")
        }
        unsafe self.vhost = vhost
        self.timer = headway_new_timer()
        self.watch = headway_new_watch()
        self.reserve = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard
            unsafe headway_adopt_file(vhost, dup(self.mailbox.descriptor), LibraryConstants.wakeProtocol) != nil,
            unsafe headway_adopt_file(vhost, self.timer, LibraryConstants.timerProtocol) != nil,
            unsafe headway_adopt_file(vhost, self.watch, LibraryConstants.watchProtocol) != nil
        else { throw WebServerError(.library, "libwebsockets did not take the loop's own descriptors") }
        self.scheduleSweep()
    }

    /// Serves until `stop` has ended the context, then frees it.
    func serve() {
        while !self.isContextEnding {
            _ = unsafe lws_service(self.context, 0)
        }
        var interrupt = sigaction()
        _ = unsafe sigaction(SIGINT, nil, &interrupt)
        unsafe lws_context_destroy(self.context)
        _ = unsafe sigaction(SIGINT, &interrupt, nil)
        unsafe self.context = nil
        unsafe self.vhost = nil
        if self.usesLibev { isLibevTaken.store(false, ordering: .releasing) }
        if self.reserve >= 0 { Glibc.close(self.reserve) }
        self.timer = -1
        self.watch = -1
        self.timers.removeAll()
        self.application = nil
        self.hasEnded = true
        for done in self.whenEnded { done() }
        self.whenEnded = []
    }

    /// `open` has failed: there is nothing to serve.
    func abort() {
        self.isContextEnding = true
        if let context = unsafe self.context { unsafe lws_context_destroy(context) }
        unsafe self.context = nil
        self.timer = -1
        self.watch = -1
        self.application = nil
        self.hasEnded = true
    }

    /// Under libev `lws_service` returns only when the context is torn down from inside; under poll it returns by itself and `serve` tears down.
    func endContext() {
        guard !self.isContextEnding else { return }
        self.isContextEnding = true
        // Else it is libwebsockets' own.
        if unsafe self.listenerWsi == nil { Glibc.close(self.listener) }
        guard self.usesLibev else { return }
        unsafe lws_context_destroy(self.context)
    }

    private func makeContext(options: UInt64) -> OpaquePointer? {
        LogBridge.install(self.configuration.log)
        let constants = LibraryConstants.shared
        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        unsafe info.protocols = UnsafePointer(constants.protocols)
        unsafe info.retry_and_idle_policy = UnsafePointer(constants.retry)
        unsafe info.alpn = constants.alpn
        unsafe info.options = options | UInt64(LWS_SERVER_OPTION_VALIDATE_UTF8)
        unsafe info.user = Unmanaged.passUnretained(self).toOpaque()
        unsafe info.pt_serv_buf_size = 262_144
        unsafe info.max_http_header_data = 16_384
        unsafe info.timeout_secs = 60
        unsafe info.keepalive_timeout = 60
        // fd_limit_per_thread stays 0: below the process's limit it makes every event search the whole table. Our accept path keeps the limit.
        return unsafe lws_create_context(&info)
    }
}
