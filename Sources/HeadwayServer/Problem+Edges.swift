// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferStorage

extension Problem {
    /// What a failure of libcurl means to a person; nil where it is none.
    init?(_ end: DownloadEnd) {
        switch end {
        case .finished, .stopped, .refused: return nil
        case .stalled(let after):
            self.init(.remoteTimeout, "Nothing came for \(after.components.seconds) s", retryable: true)
        case .tooSlow:
            self.init(.remoteTimeout, "It came more slowly than is accepted", retryable: true)
        case .failed(let failure):
            self.init(failure)
        }
    }

    private init(_ failure: CurlFailure) {
        switch failure.kind {
        case .nameNotFound: self.init(.remoteUnreachable, failure.message, retryable: true)
        case .unreachable: self.init(.remoteUnreachable, failure.message, retryable: true)
        case .timedOut: self.init(.remoteTimeout, failure.message, retryable: true)
        case .tls: self.init(.tls, failure.message)
        case .redirectLoop: self.init(.remoteProtocol, failure.message)
        case .blockedAddress(let reason): self.init(.blockedAddress, reason)
        case .unsupportedProtocol: self.init(.unsupportedURL, failure.message)
        case .cutShort: self.init(.remoteUnreachable, failure.message, retryable: true)
        case .protocolFailure: self.init(.remoteProtocol, failure.message)
        case .other: self.init(.remoteUnreachable, failure.message, retryable: true)
        }
    }

    /// What a failure of our disk means to a person.
    init(_ error: StorageError) {
        switch error.kind {
        case .full: self.init(.diskFull, error.message, status: 507)
        case .invalid: self.init(.invalid, error.message, status: 400)
        default: self.init(.diskError, error.message, status: 500)
        }
    }
}
