// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets
import Glibc

/// Copies a request's head out of libwebsockets, on the loop thread and inside the callback that announces it: afterwards the buffers are reused.
@safe
struct RequestReader {
    /// What the head said, or why it is refused.
    enum Outcome {
        case head(HTTPRequest)
        case refused(HTTPResponse)
    }

    private static let queryLimit = 200
    private static let methods: [(name: String, token: lws_token_indexes)] = [
        ("GET", WSI_TOKEN_GET_URI), ("HEAD", WSI_TOKEN_HEAD_URI), ("POST", WSI_TOKEN_POST_URI),
        ("PUT", WSI_TOKEN_PUT_URI), ("PATCH", WSI_TOKEN_PATCH_URI), ("DELETE", WSI_TOKEN_DELETE_URI),
        ("OPTIONS", WSI_TOKEN_OPTIONS_URI),
    ]
    private static let knownHeaders: [(name: String, token: lws_token_indexes)] = [
        ("host", WSI_TOKEN_HOST), ("origin", WSI_TOKEN_ORIGIN), ("range", WSI_TOKEN_HTTP_RANGE),
        ("if-range", WSI_TOKEN_HTTP_IF_RANGE), ("if-match", WSI_TOKEN_HTTP_IF_MATCH),
        ("if-none-match", WSI_TOKEN_HTTP_IF_NONE_MATCH), ("if-modified-since", WSI_TOKEN_HTTP_IF_MODIFIED_SINCE),
        ("content-type", WSI_TOKEN_HTTP_CONTENT_TYPE), ("content-length", WSI_TOKEN_HTTP_CONTENT_LENGTH),
        ("transfer-encoding", WSI_TOKEN_HTTP_TRANSFER_ENCODING), ("accept", WSI_TOKEN_HTTP_ACCEPT),
        ("authorization", WSI_TOKEN_HTTP_AUTHORIZATION), ("expect", WSI_TOKEN_HTTP_EXPECT),
        ("upgrade", WSI_TOKEN_UPGRADE), ("connection", WSI_TOKEN_CONNECTION),
        ("user-agent", WSI_TOKEN_HTTP_USER_AGENT), ("content-range", WSI_TOKEN_HTTP_CONTENT_RANGE),
        ("content-disposition", WSI_TOKEN_HTTP_CONTENT_DISPOSITION), ("x-forwarded-for", WSI_TOKEN_X_FORWARDED_FOR),
    ]
    private static let customHeaders = [
        "last-event-id", "idempotency-key", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-prefix",
        "sec-fetch-site", "tus-resumable", "upload-length", "upload-offset", "upload-metadata", "upload-defer-length",
        "upload-checksum", "upload-concat", "x-http-method-override", "upload-complete", "upload-incomplete",
        "upload-draft-interop-version",
    ]

    private let wsi: OpaquePointer

    init(_ wsi: OpaquePointer) {
        unsafe self.wsi = wsi
    }

    func read() -> Outcome {
        guard let method = Self.methods.first(where: { unsafe lws_hdr_total_length(self.wsi, $0.token) > 0 }) else {
            return .refused(.problem(405, "Method not allowed", "the method is not known here"))
        }
        // More than one fragment: libwebsockets took a part of the path for arguments.
        let isCut = unsafe lws_hdr_fragment_length(self.wsi, method.token, 1) > 0
        guard !isCut, let path = self.value(of: method.token), !path.utf8.contains(0) else {
            return .refused(
                .problem(400, "That path can't be read", "percent-encode it: &, ; and + have meanings of their own")
            )
        }
        guard let query = self.query() else {
            return .refused(
                .problem(400, "Too many parameters", "at most \(Self.queryLimit) query parameters are read")
            )
        }
        var headers = Self.knownHeaders.compactMap { known in
            self.value(of: known.token).map { (name: known.name, value: $0) }
        }
        for name in Self.customHeaders {
            if let value = self.custom(name) { headers.append((name: name, value: value)) }
        }
        return .head(
            HTTPRequest(method: method.name, path: path, query: query, headers: headers, peer: self.peer())
        )
    }

    /// HTTP/1.1 goes on unless told to close, 1.0 only when told to go on: as libwebsockets decides it.
    func keepAlive(_ request: HTTPRequest) -> (goesOn: Bool, isVersion10: Bool) {
        let isVersion10 = self.value(of: WSI_TOKEN_HTTP)?.hasPrefix("HTTP/1.1") != true
        switch request.header("connection")?.lowercased() {
        case "close": return (false, isVersion10)
        case "keep-alive": return (true, isVersion10)
        default: return (!isVersion10, isVersion10)
        }
    }

    func value(of token: lws_token_indexes) -> String? {
        let length = unsafe Int(lws_hdr_total_length(self.wsi, token))
        guard length > 0 else { return nil }
        // Room for what joins the fragments of a repeated header.
        return unsafe self.text(capacity: length + 64) { unsafe lws_hdr_copy(self.wsi, $0, $1, token) }
    }

    private func custom(_ name: String) -> String? {
        let field = name + ":"
        let length = unsafe Int(lws_hdr_custom_length(self.wsi, field, Int32(field.utf8.count)))
        guard length > 0 else { return nil }
        return unsafe self.text(capacity: length + 1) {
            unsafe lws_hdr_custom_copy(self.wsi, $0, $1, field, Int32(field.utf8.count))
        }
    }

    private func query() -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        let total = unsafe Int(lws_hdr_total_length(self.wsi, WSI_TOKEN_HTTP_URI_ARGS))
        guard total > 0 else { return pairs }
        var index: Int32 = 0
        while let argument = unsafe self.text(
            capacity: total + 1,
            { unsafe lws_hdr_copy_fragment(self.wsi, $0, $1, WSI_TOKEN_HTTP_URI_ARGS, index) }
        ) {
            guard pairs.count < Self.queryLimit else { return nil }
            index += 1
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, !name.isEmpty else { continue }
            pairs.append((name: String(name), value: parts.count > 1 ? String(parts[1]) : ""))
        }
        return pairs
    }

    private func peer() -> String {
        unsafe self.text(capacity: 64) { buffer, count in
            guard let name = unsafe lws_get_peer_simple(self.wsi, buffer, Int(count)) else { return -1 }
            return unsafe Int32(strlen(name))
        } ?? ""
    }

    /// Nil when the copy fails: the thing isn't there.
    private func text(capacity: Int, _ copy: (UnsafeMutablePointer<CChar>, Int32) -> Int32) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let count = unsafe copy(base, Int32(capacity))
            guard count >= 0, Int(count) <= capacity else { return nil }
            let bytes = unsafe UnsafeRawBufferPointer(start: base, count: Int(count))
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
    }
}
