// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore

/// What came of a form.
struct FormResult: Equatable {
    struct File: Equatable {
        var name: String
        var type: String?
        var bytes: [UInt8] = []
        var isWhole = false
        var total: Int64?
    }

    var files: [File] = []
    var hasEnded = false
    var problem: Problem?
    var total: Int64?

    var summary: [String] {
        self.files.map { "\($0.name)|\($0.type ?? "-")|\(String(decoding: $0.bytes, as: UTF8.self))" }
    }
}

/// Reads a form in these pieces.
func read(_ pieces: [[UInt8]], boundary: String, length: Int64? = nil) -> FormResult {
    var result = FormResult()
    do throws(Problem) {
        guard let boundary = try FormBoundary(contentType: "multipart/form-data; boundary=\"\(boundary)\"") else {
            return result
        }
        var intake = FormIntake(boundary, length: length)
        for piece in pieces {
            for event in try intake.read(piece[...]) {
                switch event {
                case .file(let name, let type, let total):
                    result.files.append(FormResult.File(name: name.text, type: type, total: total))
                case .bytes(let bytes): result.files[result.files.count - 1].bytes += bytes
                case .fileEnded: result.files[result.files.count - 1].isWhole = true
                case .ended: result.hasEnded = true
                }
            }
        }
        try intake.finish()
        result.total = intake.total
    } catch {
        result.problem = error
    }
    return result
}

func read(_ form: String, boundary: String = "b") -> FormResult {
    let bytes = Array(form.utf8)
    return read([bytes], boundary: boundary, length: Int64(bytes.count))
}

/// One part: its head's lines, and its content.
func part(_ lines: String..., content: String, boundary: String = "b") -> String {
    "--\(boundary)\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n" + content + "\r\n"
}

func filePart(_ content: String, name: String = "a.txt") -> String {
    part("Content-Disposition: form-data; name=\"f\"; filename=\"\(name)\"", content: content)
}
