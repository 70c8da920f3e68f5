// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ProgressProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Problem: LocalizedError {
    /// What happened, in plain words.
    public var errorDescription: String? { self.detail }
}

extension Problem {
    /// Why URLSession could not, in words that name the address.
    static func connection(_ error: any Error, address: String, wasUp: Bool) -> Problem {
        guard let error = error as? URLError else {
            return Problem(.remoteUnreachable, "No Headway answers at \(address): \(error)", retryable: true)
        }
        if wasUp {
            return Problem(.interrupted, "The connection to \(address) broke", retryable: true)
        }
        switch error.code {
        case .timedOut:
            return Problem(.remoteTimeout, "No Headway answers at \(address): it took too long", retryable: true)
        case .cannotFindHost, .dnsLookupFailed:
            return Problem(.remoteUnreachable, "No Headway answers at \(address): no such host", retryable: true)
        case .cannotConnectToHost:
            return Problem(.remoteUnreachable, "No Headway answers at \(address): connection refused", retryable: true)
        case .unsupportedURL, .badURL:
            return Problem(.unsupportedURL, "\(address) is not an http or https address")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
            .serverCertificateHasBadDate, .serverCertificateNotYetValid:
            return Problem(.tls, "\(address) could not prove who it is: \(error.localizedDescription)")
        default:
            return Problem(
                .remoteUnreachable,
                "No Headway answers at \(address): \(error.localizedDescription)",
                retryable: true
            )
        }
    }

    /// What an answer that means no says: its own problem where it brings one.
    static func answer(status: Int, body: [UInt8], address: String) -> Problem {
        if let json = try? JSONValue(body), var problem = try? FrameDecoder.problem(json) {
            problem.status = problem.status ?? status
            return problem
        }
        return Problem(
            .remoteProtocol,
            "\(address) answered with HTTP status \(status), and not as Headway does",
            retryable: status >= 500 || status == 429,
            status: status
        )
    }
}
