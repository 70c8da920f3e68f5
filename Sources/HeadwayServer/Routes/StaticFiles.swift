// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProgressProtocol
import WebServer

/// The page: every regular file of the web folder, read once at the start.
///
/// So no request touches the disk, and none can reach out of the folder: links are not followed, hidden files left out.
struct StaticFiles: Sendable {
    private struct File: Sendable {
        let type: String
        let tag: String
        let bytes: [UInt8]
    }

    /// Only from here, and nothing inline; the socket of the same host is `'self'` too.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "manifest-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
    /// The one page that others may put in a frame.
    private static let embeddable = "embed.html"
    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon", "json": "application/json",
        "webmanifest": "application/manifest+json", "txt": "text/plain; charset=utf-8", "woff2": "font/woff2",
    ]
    private static let maximumBytes = 64 << 20

    private var files: [String: File] = [:]
    private let embedders: String

    /// Reads the folder.
    ///
    /// - Parameters:
    ///   - folder: where the page is.
    ///   - embedders: the origins whose pages may put `embed.html` in a frame.
    /// - Throws: `StartError` when there is no page in it.
    init(folder: String, embedders: [String] = []) throws(StartError) {
        self.embedders = (["'self'"] + embedders).joined(separator: " ")
        var total = 0
        for path in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
            let whole = folder + "/" + path
            guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }),
                let attributes = try? FileManager.default.attributesOfItem(atPath: whole),
                attributes[.type] as? FileAttributeType == .typeRegular,
                let data = FileManager.default.contents(atPath: whole)
            else { continue }
            total += data.count
            guard total <= Self.maximumBytes else {
                throw StartError("the web folder \(folder) holds more than 64 MiB; is it the right one?")
            }
            let ending = path.split(separator: ".").last.map(String.init) ?? ""
            let isSource = ending == "js" || ending == "css"
            let bytes = isSource ? SourceText.slimmed([UInt8](data)) : [UInt8](data)
            self.files[path] = File(
                type: Self.types[ending] ?? "application/octet-stream",
                tag: "\"" + Self.fingerprint(bytes) + "\"",
                bytes: bytes
            )
        }
        guard self.files["index.html"] != nil else {
            throw StartError("there is no index.html in the web folder \(folder); --web names another one")
        }
    }

    /// The answer for a path below the root; nil when there is no such file.
    ///
    /// What is in `sharing` are headers that let pages of others read it.
    func response(_ request: HTTPRequest, sharing: [(String, String)] = []) -> HTTPResponse? {
        let path = request.path == "/" ? "index.html" : String(request.path.dropFirst())
        guard let file = self.files[path] else { return nil }
        guard request.method == "GET" || request.method == "HEAD" else {
            return Answer.problem(
                Problem(.invalid, "\(request.method) is not possible here\(request.uploadHint)", status: 405),
                [("allow", "GET, HEAD")]
            )
        }
        let headers =
            [
                ("content-type", file.type), ("etag", file.tag), ("cache-control", "no-cache"),
                (
                    "content-security-policy",
                    Self.policy + "frame-ancestors " + (path == Self.embeddable ? self.embedders : "'none'")
                ),
            ] + sharing + Answer.protective
        if Self.names(file.tag, in: request.header("if-none-match")) {
            return HTTPResponse(status: 304, headers: headers, body: .none)
        }
        return HTTPResponse(status: 200, headers: headers, body: .bytes(file.bytes))
    }

    /// Whether an `If-None-Match` names this tag (RFC 9110 §13.1.2: the weak comparison).
    static func names(_ tag: String, in header: String?) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { part in
            let name = part.trimmingPrefix(while: { $0 == " " })
            return name == "*" || name == tag || name == "W/" + tag || name.dropLast(while: " ") == tag
        }
    }

    /// A tag of the content (FNV-1a, 64 bits, and the length): it changes when the file does.
    private static func fingerprint(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hash, radix: 36) + "-" + String(bytes.count, radix: 36)
    }
}

extension Substring {
    fileprivate func dropLast(while character: Character) -> Substring {
        var rest = self
        while rest.last == character { rest.removeLast() }
        return rest
    }
}
