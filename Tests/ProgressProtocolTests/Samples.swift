// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol

let sampleID = TransferID(milliseconds: 1_764_468_891_120, random: (0x123, 0x456))
let sampleTime = Timestamp(milliseconds: 1_764_468_891_123)

/// A transfer with every field set.
func fullTransfer() -> Transfer {
    var transfer = Transfer(
        id: sampleID,
        kind: .download,
        name: "a \"b\" \\ é 👩‍👧 \u{1}.iso",
        createdAt: sampleTime,
        group: "g",
        owner: "o",
        retryOf: TransferID(milliseconds: 1, random: (1, 1))
    )
    transfer.state = .succeeded
    transfer.source = "https://example.org/x?a=***"
    transfer.target = "t"
    transfer.bytes = 9_007_199_254_740_991
    transfer.total = 9_007_199_254_740_991
    transfer.rate = 7
    transfer.eta = 0
    transfer.attempt = 3
    transfer.reason = .sourceChanged
    transfer.retryAt = sampleTime
    transfer.note = "n"
    transfer.outcome = .succeeded
    transfer.error = Problem(.remoteStatus, "d", retryable: true, status: 409, remoteStatus: 503)
    transfer.startedAt = sampleTime
    transfer.finishedAt = sampleTime
    transfer.elapsed = 12
    transfer.digest = "sha-256=:x:"
    transfer.href = "files/1/a%20b"
    transfer.files = [
        Transfer.File(name: "a", bytes: 1, digest: nil, href: "h"),
        Transfer.File(name: "b", bytes: 0, digest: "d", href: nil),
    ]
    transfer.result = Transfer.Answer(status: 201, contentType: "text/plain")
    return transfer
}

/// A transfer with nothing but what it is born with.
func bareTransfer() -> Transfer {
    Transfer(id: sampleID, kind: .demo, name: "", createdAt: sampleTime)
}

func json(_ text: String) throws(JSONError) -> JSONValue {
    try JSONValue(Array(text.utf8))
}
