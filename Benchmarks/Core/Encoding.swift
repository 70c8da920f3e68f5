// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol

/// Encodes so many `progress` frames, each with new figures, into one buffer; then copies as many ready ones, the floor.
func measureEncoding(frames: Int) -> String {
    var transfer = sampleTransfer(0)
    let born = Transfer.Birth(transfer)
    var bytes: [UInt8] = []
    var written = 0
    func encode(_ number: Int) {
        transfer.bytes += 123_457
        transfer.rate = 11_000_000 + Int64(number % 1000)
        bytes.removeAll(keepingCapacity: true)
        FrameEncoder.appendHead(of: .progress, seq: UInt64(number), to: &bytes)
        FrameEncoder.appendFiguresTail(
            of: transfer,
            born: born,
            at: Timestamp(milliseconds: Int64(number)),
            to: &bytes
        )
        written += bytes.count
    }
    for number in 0..<100 { encode(number) }
    written = 0
    let start = processorSeconds()
    for number in 0..<frames { encode(number) }
    let encoded = processorSeconds()
    let ready = bytes
    var copied = 0
    for _ in 0..<frames {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: ready)
        copied += bytes.count
    }
    let end = processorSeconds()
    precondition(copied > 0)
    let nanoseconds = (encoded - start) * 1e9 / Double(frames)
    let floor = (end - encoded) * 1e9 / Double(frames)
    return #"{"ns_per_frame":\#(nanoseconds),"floor_ns_per_frame":\#(floor),"bytes":\#(written / frames)}"#
}

/// A download as it is while it runs.
func sampleTransfer(_ number: Int) -> Transfer {
    let id = TransferID(milliseconds: 1_700_000_000_000, random: (UInt64(number), UInt64(number)))
    var transfer = Transfer(
        id: id,
        kind: .download,
        name: "debian-12.8.0-amd64-netinst-\(number).iso",
        createdAt: Timestamp(milliseconds: 1_700_000_000_000)
    )
    transfer.state = .running
    transfer.source = "https://example.org/debian-12.8.0-amd64-netinst-\(number).iso"
    transfer.bytes = 131_072_000
    transfer.total = 658_505_728
    transfer.rate = 11_534_336
    transfer.eta = 45_733
    transfer.startedAt = transfer.createdAt
    return transfer
}
