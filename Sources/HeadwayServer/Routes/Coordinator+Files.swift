// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Answers `GET /files/{id}/{name}`: found by the id alone; the name is decoration.
    ///
    /// The number says which one, of a form that brought several.
    func file(_ transfer: TransferID, _ number: Int?, _ request: HTTPRequest, _ id: ConnectionID) -> RequestDecision {
        self.later(id) { () throws(Problem) in
            if number == nil, self.jobs[transfer]?.isReadable == true,
                let response = try await self.arrivingFile(transfer, request)
            {
                return response
            }
            guard let found = try await self.find(transfer), let name = found.storedName(of: number) else {
                throw Problem(.notFound, "there is no stored file of \(transfer)", status: 404)
            }
            let files = self.folder.files
            let stored: StoredFile
            do {
                stored = try await files.perform { try files.openForReading(name) }
            } catch let error as StorageError {
                throw error.kind == .missing
                    ? Problem(.notFound, "the file \"\(name)\" is not there any more", status: 404)
                    : Problem(error, of: name)
            } catch {
                throw Problem(.internalError, "\(error)", status: 500)
            }
            return Self.response(stored, name: name, digest: number == nil ? found.digest : nil, request)
        }
        return .later
    }

    private static func response(
        _ file: StoredFile,
        name: String,
        digest: String?,
        _ request: HTTPRequest
    ) -> HTTPResponse {
        let tag =
            "\"\(String(file.inode, radix: 36))-\(String(file.size, radix: 36))-\(String(file.modified, radix: 36))\""
        var headers =
            [
                ("content-type", "application/octet-stream"), ("etag", tag), ("accept-ranges", "bytes"),
                ("content-disposition", Self.disposition(name)), ("cache-control", "private, no-cache"),
                ("content-security-policy", "sandbox; default-src 'none'"),
            ] + Answer.protective
        if let digest { headers.append(("repr-digest", digest)) }
        if StaticFiles.names(tag, in: request.header("if-none-match")) {
            file.close()
            return HTTPResponse(status: 304, headers: headers, body: .none)
        }
        let isStale = request.header("if-range").map { $0 != tag } ?? false
        switch isStale ? .whole : ByteRange(request.header("range"), size: file.size) {
        case .whole:
            return HTTPResponse(
                status: 200,
                headers: headers,
                body: .stream(length: file.size, source: FileBody(file, from: 0, to: file.size))
            )
        case .part(let range):
            headers.append(("content-range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"))
            return HTTPResponse(
                status: 206,
                headers: headers,
                body: .stream(
                    length: range.upperBound - range.lowerBound,
                    source: FileBody(file, from: range.lowerBound, to: range.upperBound)
                )
            )
        case .unsatisfiable:
            file.close()
            let problem = Problem(.invalid, "the file has \(file.size) bytes, and none of the range", status: 416)
            return Answer.problem(problem, [("content-range", "bytes */\(file.size)")])
        }
    }

    /// RFC 6266: a fallback in ASCII, and the true name percent-encoded.
    static func disposition(_ name: String) -> String {
        let plain = String(
            name.unicodeScalars.map { scalar -> Character in
                let isPlain = (0x20..<0x7F).contains(scalar.value) && scalar != "\"" && scalar != "\\" && scalar != "%"
                return isPlain ? Character(scalar) : "_"
            }
        )
        return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(name.percentEncodedForPath)"
    }
}
