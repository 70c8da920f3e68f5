// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

@Suite struct FormParserTests {
    @Test func `a file in a form comes out as it went in`() {
        let result = read(filePart("hello") + "--b--\r\n")
        #expect(result.summary == ["a.txt|-|hello"])
        #expect(result.files[0].isWhole && result.hasEnded && result.problem == nil)
    }

    @Test func `no place in which a form is cut makes a difference`() {
        let boundary = "----x'()+_,-./:=? y"
        let tricky = "\r\n--\(boundary)-\r\n--\(boundary)x\r\r\n\r\n--\(boundary.dropLast())\r\n--\(boundary) \t z\r"
        let form =
            "preamble\r\n--\(boundary)  \r\nContent-Type: text/x\r\nCONTENT-disposition: form-data;filename=a.bin\r\n\r\n"
            + tricky
            + "\r\n--\(boundary)\r\nContent-Disposition: form-data; name=t\r\n\r\nfield\r\n--\(boundary)--epilogue"
        let bytes = Array(form.utf8)
        let whole = read([bytes], boundary: boundary)
        #expect(whole.summary == ["a.bin|text/x|\(tricky)"])
        #expect(whole.hasEnded && whole.problem == nil)
        for cut in 0...bytes.count {
            let result = read([Array(bytes[..<cut]), Array(bytes[cut...])], boundary: boundary)
            #expect(result == whole, "cut at \(cut)")
        }
        #expect(read(bytes.map { [$0] }, boundary: boundary) == whole)
        for size in 2...40 {
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(read(pieces, boundary: boundary) == whole, "pieces of \(size)")
        }
    }

    @Test func `random content full of beginnings of delimiters survives`() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<300 {
            let words = [
                "\r\n--b", "\r\n--", "\r\n", "\r", "--b", "-", "b", "x", "\n", "\r\n--b\r", "\r\n--b-", "\r\n--b ",
            ]
            var content = (0..<30).map { _ in words[Int(random.next() % UInt64(words.count))] }.joined()
            // What would really be a delimiter is none of its content.
            for real in ["\r\n--b\r\n", "\r\n--b--", "\r\n--b \r\n"] {
                while let range = content.utf8.indices.first(where: { content.utf8[$0...].starts(with: real.utf8) }) {
                    content = String(content.utf8[..<range])! + "q"
                }
            }
            content += "q"
            let bytes = Array((filePart(content) + "--b--").utf8)
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = 1 + Int(random.next() % 9)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            let result = read(pieces, boundary: "b", length: Int64(bytes.count))
            #expect(result.files.first?.bytes == Array(content.utf8))
            #expect(result.hasEnded)
        }
    }

    @Test(arguments: [
        // curl
        ("Content-Disposition: form-data; name=\"f\"; filename=\"a%22b.txt\"", "a\"b.txt"),
        // aiohttp: percent codes stay as they were sent
        ("Content-Disposition: form-data; name=\"f\"; filename=\"na%C3%AFve.txt\"", "na%C3%AFve.txt"),
        // Alamofire escapes nothing
        ("Content-Disposition: form-data; name=\"f\"; filename=\"say \"hi\".txt\"", "say \"hi\".txt"),
        ("Content-Disposition: form-data; name=\"f\"; filename=\"say \\\"hi\\\".txt\"", "say \"hi\".txt"),
        ("content-disposition:form-data;FILENAME=plain.txt;name=f", "plain.txt"),
        ("Content-Disposition: form-data; filename=\"x.txt\"; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
        ("Content-Disposition: form-data; name=\"f\"; filename=\"../../etc/passwd\"", "passwd"),
        ("Content-Disposition: form-data; name=\"f\"; filename=\"C:\\dir\\photo.jpg\"", "photo.jpg"),
        ("Content-Disposition: form-data; name=\"f\"; filename=\"a%0D%0Ab\"", "a__b"),
        ("Content-Disposition: form-data; name=\"f\"; filename=\"-\"", "_"),
        ("Content-Disposition: form-data; name=\"f\"; filename=\"/\"", "upload"),
        ("Content-Disposition: form-data; name=\"f\"; filename=\"a;b.txt\"", "a;b.txt"),
        ("Content-Disposition: form-data; name=\"f\";\r\n filename=\"folded.txt\"", "folded.txt"),
        ("Content-Disposition: form-data; name=\"f\"; filename=\"写真.jpg\"", "写真.jpg"),
    ])
    func `each client's way to name a file is understood`(line: String, name: String) {
        let result = read(part(line, "Content-Type: image/jpeg", content: "x") + "--b--")
        #expect(result.summary == ["\(name)|image/jpeg|x"])
    }

    @Test func `fields are dropped, a file input without a file too, and names may repeat`() {
        let empty = part("Content-Disposition: form-data; name=\"f\"; filename=\"\"", content: "")
        let field = part("Content-Disposition: form-data; name=\"t\"", "Content-Type: text/plain", content: "label")
        let result = read(empty + filePart("1") + field + filePart("2") + filePart("") + "--b--")
        #expect(result.summary == ["a.txt|-|1", "a.txt|-|2", "a.txt|-|"])
        #expect(result.total == 2)
    }

    @Test(arguments: ["", "--b--", "--b--\r\n", "--b\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\nx\r\n--b--"])
    func `a form without a file is refused`(form: String) {
        #expect(read(form).problem?.status == 400)
    }

    @Test(arguments: ["", "\r\n--", "\r\n--b", "\r\n--b-", "\r\n--bb--", "\r\n--b -"])
    func `a form without its closing delimiter is not whole`(end: String) {
        let result = read(String(filePart("hello").dropLast(1)) + end)
        #expect(result.problem?.code == .lengthMismatch)
        #expect(!result.hasEnded)
    }

    @Test func `every limit has its answer`() {
        let tooMany = String(repeating: part(content: ""), count: FormParser.maximumParts + 1)
        #expect(read(tooMany + "--b--").problem?.status == 413)
        let just = String(repeating: part(content: ""), count: FormParser.maximumParts - 1)
        #expect(read(just + filePart("x") + "--b--").problem == nil)
        let long = part("X: " + String(repeating: "x", count: FormParser.maximumHeadBytes), content: "")
        #expect(read(long).problem?.status == 413)
        let field = String(repeating: "x", count: FormIntake.maximumFieldBytes)
        #expect(
            read(part("Content-Disposition: form-data; name=\"t\"", content: field) + filePart("") + "--b--").problem
                == nil
        )
        let over = read(part("Content-Disposition: form-data; name=\"t\"", content: field + "x"))
        #expect(over.problem?.status == 413)
        #expect(over.problem?.detail.contains("\"t\"") == true)
        #expect(read(part("Content-Type: multipart/mixed; boundary=c", content: "")).problem?.status == 415)
        #expect(read(part("Content-Transfer-Encoding: base64", content: "")).problem?.status == 415)
        #expect(read(part("Content-Transfer-Encoding: Binary", content: "") + filePart("") + "--b--").problem == nil)
    }

    @Test func `an endless file is passed on, not kept`() throws {
        let boundary = try #require(try FormBoundary(contentType: "multipart/form-data; boundary=b"))
        var intake = FormIntake(boundary, length: nil)
        _ = try intake.read(Array("--b\r\nContent-Disposition: form-data; filename=a\r\n\r\n".utf8)[...])
        let piece = [UInt8](repeating: 0x2D, count: 65_536)
        for _ in 0..<64 {
            let events = try intake.read(piece[...])
            #expect(events == [.bytes(piece[...])])
        }
        #expect(intake.fileBytes == 64 * 65_536)
        #expect(intake.total == nil)
    }

    @Test(arguments: [
        ("multipart/form-data; boundary=abc", true), ("Multipart/Form-Data; Boundary=\"a b\"", true),
        ("multipart/form-data; charset=utf-8; boundary=alamofire.boundary.0f9e", true),
        ("multipart/form-data", false), ("multipart/form-data; boundary=", false),
        ("multipart/form-data; boundary=\"a \"", false), ("multipart/form-data; boundary=a\u{7F}b", false),
        ("multipart/form-data; boundary=" + String(repeating: "x", count: 71), false),
    ])
    func `a boundary is read from the Content-Type or refused`(type: String, isGood: Bool) {
        #expect(((try? FormBoundary(contentType: type)) != nil) == isGood)
    }

    @Test func `what is no form has no boundary`() throws {
        #expect(try FormBoundary(contentType: "application/json; boundary=x") == nil)
        #expect(try FormBoundary(contentType: "multipart/mixed; boundary=x") == nil)
    }
}
