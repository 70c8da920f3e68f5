// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

extension Coordinator {
    /// Answers `GET /notices`: what a person who looks after the server should know.
    func notices(_ id: ConnectionID) -> RequestDecision {
        self.later(id) { () throws(Problem) in
            let foreign: [ForeignPart]
            do throws(StorageError) { foreign = try await self.folder.listForeignParts() } catch {
                throw Problem(error)
            }
            var writer = JSONWriter()
            writer.open("{")
            writer.name("notices")
            writer.raw([])
            writer.open("[")
            if let text = self.folder.notice { Self.write("database-set-aside", text, into: &writer) }
            if let hold = self.space.hold { Self.write(hold.code.rawValue, hold.detail, into: &writer) }
            if !foreign.isEmpty {
                Self.write("foreign-parts", Self.words(for: foreign), into: &writer) { writer in
                    writer.name("parts")
                    writer.raw([])
                    writer.open("[")
                    // A page is to show them, and a person to look: thousands would help neither.
                    for part in foreign.prefix(1000) {
                        writer.raw([])
                        writer.open("{")
                        writer.member("name", part.name)
                        writer.member("bytes", part.size)
                        writer.member("modifiedAt", Timestamp(milliseconds: part.modifiedAt))
                        writer.close("}")
                    }
                    writer.close("]")
                }
            }
            writer.close("]")
            writer.close("}")
            return Answer.json(200, writer.bytes)
        }
        return .later
    }

    /// Says at the start what an earlier run left and nobody owns.
    func logForeignParts() async {
        guard let foreign = try? await self.folder.listForeignParts(), !foreign.isEmpty else { return }
        self.log(Self.words(for: foreign))
    }

    private static func words(for foreign: [ForeignPart]) -> String {
        let bytes = foreign.reduce(0) { $0 + $1.size }
        let what = foreign.count == 1 ? "1 file in parts/ belongs" : "\(foreign.count) files in parts/ belong"
        return "\(what) to no transfer, with \(bytes) bytes: kept, for you to look at and delete"
    }

    private static func write(
        _ code: String,
        _ text: String,
        into writer: inout JSONWriter,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) {
        writer.raw([])
        writer.open("{")
        writer.member("code", code)
        writer.member("text", text)
        more(&writer)
        writer.close("}")
    }
}
