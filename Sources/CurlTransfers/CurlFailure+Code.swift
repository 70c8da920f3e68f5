// SPDX-License-Identifier: Apache-2.0
import CCurl

extension CurlFailure.Kind {
    /// `isAwaitingAnswer` tells apart what libcurl has one code for: a scheme that is not allowed, and an answer that
    /// is not HTTP at all.
    init(_ code: CURLcode, isAwaitingAnswer: Bool) {
        switch code {
        case CURLE_URL_MALFORMAT:
            self = .malformedLink
        case CURLE_OUT_OF_MEMORY, CURLE_NO_CONNECTION_AVAILABLE:
            self = .exhausted
        case CURLE_SSL_CONNECT_ERROR:
            self = .handshake
        case CURLE_UNSUPPORTED_PROTOCOL:
            self = isAwaitingAnswer ? .protocolFailure : .unsupportedProtocol
        case CURLE_COULDNT_RESOLVE_HOST:
            self = .nameNotFound
        case CURLE_COULDNT_CONNECT:
            self = .unreachable
        case CURLE_OPERATION_TIMEDOUT:
            self = .timedOut
        case CURLE_TOO_MANY_REDIRECTS:
            self = .redirectLoop
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = .cutShort
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self = .protocolFailure
        case CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            self = .tls
        default:
            self = .other
        }
    }
}
