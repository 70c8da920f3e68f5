// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import TransferCore
import WebServer

/// Under which address a client sees us, and which pages of others may use the uploads.
extension Coordinator {
    /// Scheme, host and prefix, without a slash at the end: as the client used them, or as a trusted proxy tells.
    nonisolated func origin(of request: HTTPRequest) -> String {
        let host = request.header("host") ?? "localhost"
        guard self.isTrusted(request.peer) else { return "http://" + host }
        let scheme = Self.first(request.header("x-forwarded-proto"))?.lowercased()
        let outer = Self.first(request.header("x-forwarded-host")).flatMap { Self.isHost($0) ? $0 : nil }
        let prefix = Self.first(request.header("x-forwarded-prefix")).flatMap { Self.isPrefix($0) ? $0 : nil } ?? ""
        let path = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
        return (scheme == "https" ? "https://" : "http://") + (outer ?? host) + path
    }

    /// What each answer about an upload carries: tus' version, and what lets an allowed page of others read it.
    nonisolated func uploadHeaders(_ request: HTTPRequest) -> [(String, String)] {
        var headers: [(String, String)] = []
        if request.path.hasPrefix(Self.base + "/tus") {
            headers += [("tus-resumable", Tus.version), ("tus-version", Tus.version)]
        }
        guard let origin = request.header("origin"), self.access.allows(origin: origin) else { return headers }
        headers += [
            ("access-control-allow-origin", origin), ("vary", "Origin"),
            ("access-control-expose-headers", Self.exposed),
        ]
        guard request.method == "OPTIONS" else { return headers }
        return headers + [
            ("access-control-allow-methods", "POST, PUT, HEAD, PATCH, OPTIONS, DELETE"),
            ("access-control-allow-headers", Self.accepted), ("access-control-max-age", "86400"),
        ]
    }

    private nonisolated static let exposed =
        "Upload-Offset, Location, Upload-Length, Tus-Version, Tus-Resumable, Tus-Max-Size, Tus-Extension, "
        + "Tus-Checksum-Algorithm, Upload-Metadata, Upload-Defer-Length, Upload-Expires, Upload-Complete, Upload-Incomplete, "
        + "Upload-Limit, Upload-Draft-Interop-Version"
    private nonisolated static let accepted =
        "Authorization, Content-Type, X-Requested-With, X-Request-ID, X-HTTP-Method-Override, Upload-Length, "
        + "Upload-Offset, Tus-Resumable, Upload-Metadata, Upload-Defer-Length, Upload-Concat, Upload-Checksum, "
        + "Upload-Complete, Upload-Incomplete, Upload-Draft-Interop-Version, Content-Disposition"

    private nonisolated func isTrusted(_ peer: String) -> Bool {
        guard let address = IPAddress(peer) else { return false }
        return self.proxies.contains { $0.contains(address) }
    }

    /// What the nearest proxy says comes first where several wrote into one field.
    private static func first(_ field: String?) -> String? {
        field?.split(separator: ",").first.map { $0.trimmingBlanks }
    }

    private static func isHost(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-:[]_".contains($0)) }
    }

    private static func isPrefix(_ text: String) -> Bool {
        text.hasPrefix("/") && !text.hasPrefix("//") && text.utf8.count <= 255
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/.-_~%".contains($0)) }
    }
}

extension StringProtocol {
    fileprivate var trimmingBlanks: String {
        let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(self.drop(while: blank).reversed().drop(while: blank).reversed())
    }
}
