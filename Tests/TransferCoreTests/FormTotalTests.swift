// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct FormTotalTests {
    @Test(arguments: ["\r\n", ""])
    func `the total is exact from the first byte where the file comes last`(lineEnd: String) {
        let field = part("Content-Disposition: form-data; name=\"t\"", content: "label")
        let content = String(repeating: "x", count: 1000)
        let result = read(field + filePart(content) + "--b--" + lineEnd)
        // Without the last line end two bytes too few are expected, until the file's end.
        let expected: Int64 = lineEnd.isEmpty ? 998 : 1000
        #expect(result.files[0].total == expected)
        #expect(result.total == 1000)
    }

    @Test func `with files behind it the total falls to what it is, never below what came`() {
        let result = read(filePart("12345") + filePart("678") + "--b--\r\n")
        let head = Int64(part("Content-Disposition: form-data; name=\"f\"; filename=\"a.txt\"", content: "").utf8.count)
        #expect(result.files.map(\.total) == [8 + head, 8])
        #expect(result.total == 8)
    }

    @Test func `what is told never passes the total`() throws {
        let form = Array((filePart(String(repeating: "x", count: 100)) + "--b--").utf8)
        let boundary = try #require(try FormBoundary(contentType: "multipart/form-data; boundary=b"))
        var intake = FormIntake(boundary, length: Int64(form.count))
        for byte in form {
            _ = try intake.read([byte])
            if let total = intake.total { #expect(intake.fileBytes <= total + 2) }
        }
        #expect(intake.fileBytes == 100)
        #expect(intake.total == 100)
    }

    @Test func `without a length the total is known at the end`() {
        let result = read([Array((filePart("12345") + "--b--\r\n").utf8)], boundary: "b", length: nil)
        #expect(result.files[0].total == nil)
        #expect(result.total == 5)
    }

    @Test func `a lying length keeps the total at what came`() {
        let result = read([Array((filePart("12345") + "--b--\r\n").utf8)], boundary: "b", length: 3)
        #expect(result.files[0].total == 0)
        #expect(result.total == 5)
    }
}
