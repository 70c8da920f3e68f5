// SPDX-License-Identifier: Apache-2.0
import CCurl

/// One request of a download, from the addresses that it may contact to its answer's head; a redirect begins another.
struct CurlHop {
    /// Why addresses were refused while it is being connected, and how many were not.
    private var blocked: String?
    private var attempts = 0
    /// True from the moment the request is sent until its answer's head is complete.
    private var isAwaitingAnswer = false
    /// Whether it was given a connection of its own; else one is used again.
    private var hasOwnConnection = false

    /// Says whether this address may be contacted.
    mutating func mayContact(_ address: IPAddress?, by policy: AddressPolicy) -> Bool {
        guard let address else {
            self.blocked = "the address is neither IPv4 nor IPv6"
            return false
        }
        switch policy.judge(address) {
        case .allowed:
            self.attempts += 1
            self.hasOwnConnection = true
            return true
        case .blocked(let reason):
            self.blocked = reason
            return false
        }
    }

    /// There is a connection, and the request goes out next.
    mutating func connected() {
        self.blocked = nil
        self.attempts = 0
        self.isAwaitingAnswer = true
    }

    /// The answer's head is complete.
    mutating func answered() {
        self.isAwaitingAnswer = false
    }

    /// The answer leads elsewhere: what follows is the next one.
    mutating func redirected() {
        self.isAwaitingAnswer = false
        self.hasOwnConnection = false
    }

    /// What libcurl's code means when it ends here; `words` are libcurl's own.
    func failure(for code: CURLcode, words: () -> String) -> CurlFailure {
        if code == CURLE_COULDNT_CONNECT, let blocked, self.attempts == 0 {
            let words = blocked + ", and only public addresses may be contacted"
            return CurlFailure(code: Int32(code.rawValue), kind: .blockedAddress(blocked), message: words)
        }
        let kind = CurlFailure.Kind(code, isAwaitingAnswer: self.isAwaitingAnswer)
        if kind == .protocolFailure, self.isAwaitingAnswer, !self.hasOwnConnection {
            // A server that sent more than it announced: libcurl has closed the connection, and the next one is clean.
            let words = "the connection still held bytes of an answer before"
            return CurlFailure(code: Int32(code.rawValue), kind: .cutShort, message: words)
        }
        return CurlFailure(code: Int32(code.rawValue), kind: kind, message: words())
    }
}
