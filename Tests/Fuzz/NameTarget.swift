// SPDX-License-Identifier: Apache-2.0

@testable import TransferCore

/// Text that is a name, a header with one, the head of a form's part, or a link.
@Sendable func fuzzName(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    judge(FileName(text))
    judge(FileName.received(text))
    judge(FileName.received(FormPart(head: input[...]).fileName))
    if let name = FileName.learnt(contentDisposition: text, url: text) { judge(name) }
    let field = HeaderParameters(text)
    check(field.parameters.count <= input.count, "more parameters than bytes")
}

private func judge(_ name: FileName) {
    let text = name.text
    check(!text.isEmpty && text.utf8.count <= FileName.maximumBytes, "\(text.utf8.count) bytes")
    check(!text.utf8.contains { $0 < 0x20 || $0 == 0x7F || $0 == 0x2F || $0 == 0x5C }, "no file is called that")
    check(text.first != "." && text.first != "-", "it is hidden, or an option")
    check(FileName(text).text == text, "a name's name is another one: \(text.debugDescription)")
    check(FileName.received(text).text == text, "a name's name is another one: \(text.debugDescription)")
}
