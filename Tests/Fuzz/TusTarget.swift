// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
@testable import TransferCore

/// A line with the method, then headers, a line each; `at`, `of` and `body` say what is there, the size, and how long
/// the body is.
@Sendable func fuzzTus(_ input: [UInt8]) {
    var rest = input[...]
    let method = takeLine(&rest)
    var headers: [(name: String, value: String)] = []
    while !rest.isEmpty, headers.count < 100 {
        let line = takeLine(&rest)
        guard let colon = line.firstIndex(of: ":") else { continue }
        headers.append((line[..<colon].lowercased(), String(line[line.index(after: colon)...])))
    }
    var facts = UploadFacts(method: method, headers: headers, bodyLength: nil)
    // As the server has it: no number is below 0, and no body is longer than one can tell.
    let number = { (name: String) in facts.header(name).flatMap { Int64($0) }.map { max($0, 0) } }
    facts.bodyLength = number("body")
    let (offset, length, maximum) = (number("at") ?? 0, number("of"), number("max"))
    _ = try? Tus.checkVersion(facts)
    if let creation = try? TusCreation(facts, maximum: maximum) {
        check(creation.length ?? 0 <= maximum ?? .max, "an upload is too large")
        if let metadata = creation.metadata {
            check((try? UploadMetadata(metadata.text)) == metadata, "metadata is not what it says")
            _ = FileName.received(metadata.fileName)
        }
    }
    if let append = try? TusAppend(facts),
        let size = try? append.judge(offset: offset, length: length, maximum: maximum)
    {
        check(append.offset == offset, "it belongs elsewhere")
        check(size >= offset, "the file is smaller than what is there")
        check(append.bodyLength ?? 0 <= size - offset, "more than the file comes")
        check(size <= maximum ?? .max, "the file is too large")
    }
    judgeDraft(facts, offset: offset, length: length, maximum: maximum)
    if let text = facts.header("upload-checksum"), let checksum = try? ChunkChecksum(text) {
        check(checksum.bytes.count == checksum.algorithm.byteCount, "a checksum has another length")
    }
}

private func judgeDraft(_ facts: UploadFacts, offset: Int64, length: Int64?, maximum: Int64?) {
    if let creation = try? DraftCreation(facts, maximum: maximum) {
        check(creation.length ?? 0 <= maximum ?? .max, "an upload is too large")
        check(creation.length ?? .max >= facts.bodyLength ?? 0, "more than the file comes")
    }
    for version in UploadDraft.allCases {
        guard let append = try? DraftAppend(facts, version),
            let size = try? append.judge(offset: offset, length: length, maximum: maximum)
        else { continue }
        check(append.offset == offset && size >= offset && size <= maximum ?? .max, "it does not fit")
        check(facts.bodyLength ?? 0 <= size - offset, "more than the file comes")
        check(!append.isComplete || facts.bodyLength ?? size - offset == size - offset, "the file ends elsewhere")
    }
}
