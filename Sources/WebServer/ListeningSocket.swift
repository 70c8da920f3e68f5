// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

/// The socket that we listen on: our own, so that the backlog, the limit and the real port are ours, and libwebsockets only waits on it.
struct ListeningSocket: ~Copyable {
    let port: UInt16
    private var descriptor: Int32

    init(host: String, port: UInt16) throws(WebServerError) {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        var address = sockaddr_storage()
        let length = unsafe headway_address(host, port, &address)
        guard length > 0 else {
            throw WebServerError(.invalidAddress, "\(host) is not a numeric address to listen on")
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(Int32(address.ss_family), kind, 0)
        guard descriptor >= 0 else { throw WebServerError(.system, "no socket for \(place): errno \(errno)") }
        _ = headway_set_option(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.ss_family == sa_family_t(AF_INET6) {
            _ = headway_set_option(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
        }
        guard unsafe headway_bind(descriptor, &address, length) == 0, listen(descriptor, 4_096) == 0 else {
            let reason = errno
            close(descriptor)
            throw Self.failure(at: place, errno: reason)
        }
        self.descriptor = descriptor
        self.port = headway_port(descriptor)
    }

    deinit {
        if self.descriptor >= 0 { close(self.descriptor) }
    }

    /// Hands the descriptor over; whoever takes it closes it.
    mutating func take() -> Int32 {
        defer { self.descriptor = -1 }
        return self.descriptor
    }

    private static func failure(at place: String, errno reason: Int32) -> WebServerError {
        switch reason {
        case EADDRINUSE: WebServerError(.addressInUse, "\(place) is in use")
        case EADDRNOTAVAIL: WebServerError(.addressNotAvailable, "\(place) is not an address of this machine")
        case EACCES, EPERM: WebServerError(.permissionDenied, "listening on \(place) is not permitted")
        default: WebServerError(.system, "can't listen on \(place): errno \(reason)")
        }
    }
}
