// SPDX-License-Identifier: Apache-2.0

import TransferCore

extension SourceLink {
    /// The host without its port, an IPv6 address in brackets.
    var hostName: String {
        self.host.lastIndex(of: ":").map { String(self.host[..<$0]) } ?? self.host
    }
}
