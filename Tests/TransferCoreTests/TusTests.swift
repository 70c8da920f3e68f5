// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing
import TransferCore

private func facts(_ headers: [String: String], method: String = "POST", body: Int64? = 0) -> UploadFacts {
    UploadFacts(method: method, headers: headers.map { (name: $0.key, value: $0.value) }, bodyLength: body)
}

private func status(_ work: () throws -> Void) -> Int? {
    do { try work() } catch { return (error as? Problem)?.status }
    return nil
}

private let stream = ["content-type": Tus.contentType]

@Suite struct TusTests {
    @Test(arguments: [
        ("POST", "1.0.0", nil), ("POST", nil, 412), ("POST", "0.2.2", 412), ("PATCH", nil, 412),
        ("DELETE", "2.0.0", 412),
        ("HEAD", nil, nil), ("HEAD", "1.0.1", 412), ("OPTIONS", nil, nil), ("OPTIONS", "9", nil),
    ])
    func `each request names the version`(method: String, version: String?, expected: Int?) {
        let headers = version.map { ["tus-resumable": $0] } ?? [:]
        #expect(status { try Tus.checkVersion(facts(headers, method: method)) } == expected)
    }

    @Test func `a POST may stand for another method, nothing else may`() {
        #expect(Tus.method(facts(["x-http-method-override": "patch"])) == "PATCH")
        #expect(Tus.method(facts(["x-http-method-override": "CONNECT"])) == "POST")
        #expect(Tus.method(facts(["x-http-method-override": "DELETE"], method: "GET")) == "GET")
    }

    @Test(
        arguments: [
            ([:], 400), (["upload-length": "5"], nil), (["upload-length": "0"], nil), (["upload-length": "-1"], 400),
            (["upload-length": "1e3"], 400), (["upload-length": ""], 400),
            (["upload-length": "99999999999999999999"], 400),
            (["upload-defer-length": "1"], nil), (["upload-defer-length": "2"], 400),
            (["upload-length": "5", "upload-defer-length": "1"], 400), (["upload-length": "1000"], nil),
            (["upload-length": "1001"], 413), (["upload-length": "5", "upload-concat": "partial"], 400),
            (["upload-length": "5", "upload-metadata": "filename YS50eHQ="], nil),
            (["upload-length": "5", "upload-metadata": "filename YS50eHQ=,filename YQ=="], 400),
            (["upload-length": "5", "upload-metadata": "filename *"], 400),
            (["upload-length": "5", "upload-metadata": "a b c"], 400),
        ] as [([String: String], Int?)]
    )
    func `a creation says how long the file is`(headers: [String: String], expected: Int?) {
        #expect(status { _ = try TusCreation(facts(headers), maximum: 1000) } == expected)
    }

    @Test func `only a body of the right type is part of the file`() throws {
        let length = ["upload-length": "5"]
        #expect(try TusCreation(facts(length, body: 5), maximum: nil).bringsBytes == false)
        #expect(try TusCreation(facts(length.merging(stream) { $1 }), maximum: nil).bringsBytes == false)
        #expect(try TusCreation(facts(length.merging(stream) { $1 }, body: 5), maximum: nil).bringsBytes)
        #expect(status { _ = try TusCreation(facts(length.merging(stream) { $1 }, body: 6), maximum: nil) } == 413)
    }

    @Test(arguments: [
        ("filename YS50eHQ=", "a.txt"), ("fileName YS50eHQ=, filetype dGV4dA==", "a.txt"),
        ("name YS50eHQ=,flag", "a.txt"),
        ("name Yg==,filename YS50eHQ=", "a.txt"), ("filename YS50eHQ", "a.txt"), ("flag", nil), ("", nil),
        ("filename", nil), ("filename 5YaZ55yfLmpwZw==", "写真.jpg"),
    ])
    func `the file's name is found under the keys that clients use`(text: String, name: String?) throws {
        let metadata = try UploadMetadata(text)
        #expect(metadata.fileName == name)
        #expect(metadata.text == text)
    }

    @Test(
        arguments: [
            ([:], 415), (["content-type": "text/plain", "upload-offset": "0"], 415), (stream, 400),
            (["content-type": "Application/Offset+octet-stream; x=y", "upload-offset": "0"], nil),
            (["content-type": Tus.contentType, "upload-offset": "x"], 400),
            (["content-type": Tus.contentType, "upload-offset": "0", "upload-checksum": "crc32 AAAA"], 400),
            (["content-type": Tus.contentType, "upload-offset": "0", "upload-checksum": "sha1 AAAA"], 400),
            (
                [
                    "content-type": Tus.contentType, "upload-offset": "0",
                    "upload-checksum": "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=",
                ], nil
            ),
        ] as [([String: String], Int?)]
    )
    func `a PATCH names its type and its offset`(headers: [String: String], expected: Int?) {
        #expect(status { _ = try TusAppend(facts(headers, method: "PATCH", body: 5)) } == expected)
    }

    @Test(
        arguments: [
            (0, nil, 5, 0, 10, nil), (5, nil, 5, 5, 10, nil), (4, nil, 5, 5, 10, 409), (6, nil, 5, 5, 10, 409),
            (5, nil, 6, 5, 10, 413), (5, 10, 5, 5, 10, nil), (5, 11, 5, 5, 10, 400), (5, 4, 0, 5, nil, 400),
            (5, 20, 5, 5, nil, nil), (5, 2000, 5, 5, nil, 413), (5, nil, 996, 5, nil, 413), (5, nil, nil, 5, 10, nil),
        ] as [(Int64, Int64?, Int64?, Int64, Int64?, Int?)]
    )
    func `a PATCH has to fit behind what is there`(
        offset: Int64,
        told: Int64?,
        body: Int64?,
        there: Int64,
        length: Int64?,
        expected: Int?
    ) throws {
        var headers = stream
        headers["upload-offset"] = "\(offset)"
        headers["upload-length"] = told.map { "\($0)" }
        let append = try TusAppend(facts(headers, method: "PATCH", body: body))
        #expect(status { _ = try append.judge(offset: there, length: length, maximum: 1000) } == expected)
    }

    @Test func `a checksum that does not hold names both`() throws {
        let checksum = try ChunkChecksum("SHA1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=")
        #expect(checksum.algorithm == .sha1 && checksum.bytes.count == 20)
        let problem = checksum.mismatch([UInt8](repeating: 0, count: 20))
        #expect(problem.status == 460 && problem.code == .checksumMismatch)
        #expect(problem.detail.contains("Kq5sNclPz7QV2+lfQIuc6R7oRu0="))
    }
}
