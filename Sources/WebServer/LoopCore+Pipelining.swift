// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets

/// Requests that came before the one in front of them was answered.
///
/// libwebsockets puts them aside, and hands the head of one out as soon as it may. If that one has a body, it gives the
/// head out once more, as the beginning of the body, and then reads on in memory that it has freed (4.1.6: the loop at the
/// end of `lws_http_action`). So such a request must not come as far. Hardly any client sends one: RFC 9112 §9.3.2 warns of
/// it, and has a client send again what stays unanswered.
extension LoopCore {
    /// Whether a head that has just arrived was read before the last answer was out.
    ///
    /// Else something was read since then, for libwebsockets does so only when it holds nothing. The end of what the peer
    /// sends counts as a byte.
    func wasPutAside(_ slot: UInt32) -> Bool {
        let before = self.table[slot].readBefore
        guard before != 0 else { return false }
        let now = headway_bytes_read(self.table[slot].descriptor)
        return before < 0 || now - before < 2
    }
}
