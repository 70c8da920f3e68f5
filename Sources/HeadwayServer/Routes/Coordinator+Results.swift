// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Answers `GET /transfers/{id}/result`: what the other side of a push said at its end.
    func result(_ transfer: TransferID, _ id: ConnectionID) -> RequestDecision {
        self.later(id) { () throws(Problem) in
            guard let found = try await self.find(transfer) else { throw Self.notFound(transfer) }
            guard found.kind == .push else {
                let detail = "only a push has the answer of another side, and this is a \(found.kind.rawValue)"
                throw Problem(.notFound, detail, status: 404)
            }
            guard found.outcome != nil else {
                let detail = "the other side has not answered yet: the push is \(found.state.rawValue)"
                throw Problem(.wrongState, detail, retryable: true, status: 409)
            }
            let answer: RemoteAnswer?
            do throws(StorageError) {
                answer = try await self.folder.store.answer(of: transfer.description)
            } catch {
                throw Problem(error)
            }
            guard let answer else {
                let detail = "the other side gave no answer: the push has \(found.state.rawValue)"
                throw Problem(.notFound, detail, status: 404)
            }
            return Answer.json(200, answer.document)
        }
        return .later
    }
}

extension RemoteAnswer {
    /// As JSON: of the body one form, the first that fits: JSON as it is, a text, or base64.
    var document: [UInt8] {
        var writer = JSONWriter()
        writer.open("{")
        writer.member("status", self.status)
        writer.member("contentType", self.contentType)
        writer.member("isWhole", self.isWhole)
        if self.isJSON {
            writer.name("json")
            writer.raw(self.body)
        } else if let text = self.text {
            writer.member("text", text)
        } else {
            writer.member("base64", Base64.encode(self.body))
        }
        writer.close("}")
        return writer.bytes
    }

    /// Whether it says that it is JSON (RFC 8259, RFC 6839 §3.1), and is.
    ///
    /// The bytes are given on as they are: a number that we could not hold would be another one.
    private var isJSON: Bool {
        let type = self.contentType?.prefix { $0 != ";" }.lowercased().filter { $0 != " " } ?? ""
        guard type == "application/json" || type.hasSuffix("+json") || type == "text/json" else { return false }
        return self.isWhole && (try? JSONValue(self.body)) != nil
    }

    /// Of a body that was cut the end may be half a character, which goes.
    private var text: String? {
        let most = self.isWhole ? 0 : min(3, self.body.count)
        for end in 0...most {
            if let text = String(validating: self.body.dropLast(end), as: UTF8.self) { return text }
        }
        return nil
    }
}
