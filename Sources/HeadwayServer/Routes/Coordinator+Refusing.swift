// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import WebServer

/// The draft's own problem types, which take the place of ours in its answers; `code` is ours.
extension Coordinator {
    private static let types = "https://iana.org/assignments/http-problem-types#"

    /// What goes wrong with an upload that is there: the client learns where it stands.
    func refusal(
        _ problem: Problem,
        _ version: UploadDraft,
        of id: TransferID,
        also headers: [(String, String)] = [],
        provided: Int64? = nil,
        expected: Int64? = nil
    ) -> HTTPResponse {
        guard let job = self.jobs[id], !job.machine.isEnded else { return Answer.problem(problem) }
        let offset = job.upload?.taken ?? job.transfer.bytes
        if let provided, let expected, provided != expected {
            let offsets = [("expected-offset", expected), ("provided-offset", provided)]
            return Self.answer(problem, version, "mismatching-upload-offset", offsets, at: offset, isComplete: false)
        }
        let type = problem.code == .lengthMismatch ? "inconsistent-upload-length" : nil
        return Self.answer(problem, version, type, at: offset, isComplete: false, also: headers)
    }

    static func answer(
        _ problem: Problem,
        _ version: UploadDraft,
        _ type: String?,
        _ numbers: [(String, Int64)] = [],
        at offset: Int64,
        isComplete: Bool,
        also headers: [(String, String)] = []
    ) -> HTTPResponse {
        let facts =
            headers + [
                (UploadDraft.header, "\(version.rawValue)"), ("upload-offset", "\(offset)"),
                version.completeness(isComplete),
            ]
        return Answer.problem(problem, facts, type: type.map { Self.types + $0 }, numbers: numbers)
    }

    static func draftNotAllowed(_ method: String) -> HTTPResponse {
        let list = "OPTIONS, HEAD, PATCH, DELETE"
        let problem = Problem(.invalid, "\(method) is not possible here, only \(list)", status: 405)
        return Answer.problem(problem, [("allow", list)])
    }
}
