// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferCore
import TransferStorage

extension Problem {
    /// What a failure of libcurl means to a person; nil where it is none.
    init?(_ end: DownloadEnd) {
        switch end {
        case .finished, .stopped, .refused: return nil
        case .stalled(let after):
            self.init(.remoteTimeout, "Nothing came for \(after.components.seconds) s", retryable: true)
        case .tooSlow(let bytes, let time):
            self.init(.remoteTimeout, "Only \(bytes) bytes came in \(time.components.seconds) s", retryable: true)
        case .failed(let failure):
            self.init(failure)
        }
    }

    private init(_ failure: CurlFailure) {
        switch failure.kind {
        case .nameNotFound: self.init(.remoteUnreachable, failure.message, retryable: true)
        case .unreachable: self.init(.remoteUnreachable, failure.message, retryable: true)
        case .timedOut: self.init(.remoteTimeout, failure.message, retryable: true)
        case .tls: self.init(.tls, "The server can't be trusted: " + failure.message)
        case .handshake: self.init(.tls, "No secure connection: " + failure.message, retryable: true)
        case .redirectLoop: self.init(.remoteProtocol, "The redirects don't end: " + failure.message)
        case .blockedAddress(let reason): self.init(.blockedAddress, reason)
        case .unsupportedProtocol: self.init(.unsupportedURL, "Only http and https are fetched: " + failure.message)
        case .malformedLink: self.init(.unsupportedURL, failure.message)
        case .cutShort: self.init(.remoteUnreachable, "The connection was lost: " + failure.message, retryable: true)
        case .protocolFailure: self.init(.remoteProtocol, "The answer is not HTTP as it should be: " + failure.message)
        case .exhausted: self.init(.internalError, failure.message, retryable: true)
        case .other: self.init(.internalError, failure.message)
        }
        self.detail += Self.way(failure.redirects)
    }

    /// Who led there, each link once, the first three of them; nothing without a redirect.
    private static func way(_ redirects: [String]) -> String {
        var links: [String] = []
        for redirect in redirects {
            let link = (try? SourceLink(redirect))?.masked ?? "?"
            if !links.contains(link) { links.append(link) }
        }
        guard let first = links.first else { return "" }
        guard links.count > 1 || redirects.count > 1 else { return " (where \(first) leads)" }
        let others = links.count > 3 ? " and \(links.count - 3) more" : ""
        return " (\(redirects.count) redirects, by way of " + links.prefix(3).joined(separator: ", ") + others + ")"
    }

    /// What a failure of our disk means to a person, who knows the file by this name and not by that of its part.
    init(_ error: StorageError, of name: String = "the file") {
        let detail = error.message(calling: name)
        switch error.kind {
        case .full: self.init(.diskFull, detail, status: 507)
        case .exhausted: self.init(.internalError, detail, retryable: true, status: 503)
        case .invalid: self.init(.invalid, detail, status: 400)
        default: self.init(.diskError, detail, status: 500)
        }
    }
}
