// SPDX-License-Identifier: Apache-2.0

import CCurl

extension CurlFailure {
    /// What a result of libcurl means. Its own words name the host and the value, and no secret.
    init(code: CURLcode, words: String) {
        let kind: Kind
        let plain: String
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            (kind, plain) = (.nameNotFound, "The server's name was not found")
        case CURLE_COULDNT_CONNECT: (kind, plain) = (.unreachable, "The server could not be reached")
        case CURLE_OPERATION_TIMEDOUT: (kind, plain) = (.timedOut, "The server did not answer in time")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED:
            (kind, plain) = (.tls, "The secure connection failed")
        case CURLE_TOO_MANY_REDIRECTS: (kind, plain) = (.redirectLoop, "It was redirected more than 10 times")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
            (kind, plain) = (.unsupportedProtocol, "It led to a link that can't be fetched")
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            (kind, plain) = (.cutShort, "The connection broke")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_RANGE_ERROR:
            (kind, plain) = (.protocolFailure, "The answer was not understood")
        default: (kind, plain) = (.other, "It could not be fetched")
        }
        let detail = words.isEmpty ? "" : ": " + words
        self.init(code: Int32(bitPattern: code.rawValue), kind: kind, message: plain + detail)
    }
}
