// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import WebServer

/// Makes HTTP answers that carry the headers every answer has.
enum Answer {
    /// No sniffing, no referrer, no window that reaches ours: on every answer, errors included.
    static let protective: [(String, String)] = [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
    ]
    /// Nothing that is data may do anything when a browser is led to it.
    private static let inert = ("content-security-policy", "default-src 'none'; frame-ancestors 'none'")

    /// So that a shell's prompt begins a line of its own.
    private static let lineEnd = [UInt8(ascii: "\n")]

    /// A JSON text, never cached.
    static func json(_ status: Int, _ bytes: [UInt8], _ headers: [(String, String)] = []) -> HTTPResponse {
        Self.bytes(status, "application/json", bytes, headers)
    }

    /// A problem as RFC 9457 has it.
    ///
    /// - Parameters:
    ///   - problem: what went wrong.
    ///   - headers: further ones.
    ///   - type: where another one's specification names it, instead of our own.
    ///   - numbers: further members.
    /// - Returns: the answer, with the status that the problem names, or that of its code.
    static func problem(
        _ problem: Problem,
        _ headers: [(String, String)] = [],
        type: String? = nil,
        numbers: [(String, Int64)] = []
    ) -> HTTPResponse {
        var problem = problem
        let status = problem.status ?? Self.status(of: problem.code)
        problem.status = status
        var writer = JSONWriter()
        FrameEncoder.problem(problem, type: type, numbers: numbers, into: &writer)
        return Self.bytes(status, "application/problem+json", writer.bytes, headers)
    }

    /// Nothing but a status.
    static func empty(_ status: Int, _ headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers + Self.protective + [Self.inert], body: .none)
    }

    private static func bytes(
        _ status: Int,
        _ type: String,
        _ bytes: [UInt8],
        _ headers: [(String, String)]
    ) -> HTTPResponse {
        let fixed = [("content-type", type), ("cache-control", "no-store"), Self.inert]
        let body = HTTPResponse.Body.bytes(bytes + Self.lineEnd)
        return HTTPResponse(status: status, headers: fixed + headers + Self.protective, body: body)
    }

    /// The HTTP status of a problem that names none.
    private static func status(of code: Problem.Code) -> Int {
        switch code {
        case .invalid, .unsupportedURL: 400
        case .unauthorized: 401
        case .forbidden, .blockedAddress: 403
        case .notFound: 404
        case .wrongState: 409
        case .tooLarge: 413
        case .rateLimited: 429
        case .diskFull, .storeFull: 507
        default: 500
        }
    }
}
