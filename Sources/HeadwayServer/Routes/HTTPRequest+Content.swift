// SPDX-License-Identifier: Apache-2.0

import WebServer

extension HTTPRequest {
    /// What the body is said to be, without parameters; empty where nothing is said.
    var contentType: String {
        self.header("content-type")?.split(separator: ";").first.map { $0.lowercased() } ?? ""
    }

    /// A last word for whoever brings what looks like a file where none is taken: "; files are sent to …".
    var uploadHint: String {
        let hasBody = self.header("transfer-encoding") != nil || self.header("content-length").map { $0 != "0" } == true
        guard hasBody, self.contentType != "application/json" else { return "" }
        return "; files are sent to \(Coordinator.base)/uploads"
    }
}
