// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@Suite struct FrameTests {
    private static var learnt: Frame.Figures {
        var figures = Frame.Figures(of: fullTransfer())
        figures.name = "n"
        figures.source = "s"
        figures.target = "t"
        figures.startedAt = sampleTime
        figures.priority = -5
        figures.maxRate = RateLimit.none
        return figures
    }

    private static let frames: [Frame] = [
        .hello(
            Frame.Hello(
                server: "headway/0",
                epoch: "m4x9.1f",
                seq: 0,
                resumed: false,
                interval: 100,
                heartbeat: 10_000,
                at: sampleTime
            )
        ),
        .start(seq: 1, at: sampleTime, bareTransfer()), .start(seq: UInt64(1) << 52, at: sampleTime, fullTransfer()),
        .complete(seq: 9, at: sampleTime, fullTransfer()),
        .progress(seq: 2, at: sampleTime, Frame.Figures(of: bareTransfer())),
        .progress(seq: 2, at: sampleTime, learnt), .removed(seq: 3, at: sampleTime, id: sampleID, outcome: nil),
        .removed(seq: 3, at: sampleTime, id: sampleID, outcome: .cancelled), .ready(seq: 4),
        .heartbeat(seq: 5, at: sampleTime, open: nil, sum: nil), .heartbeat(seq: 5, at: sampleTime, open: 2, sum: 77),
        .ack(Frame.Ack(ref: nil, id: nil, error: nil)), .ack(Frame.Ack(ref: "c1", id: sampleID, error: nil)),
        .ack(
            Frame.Ack(
                ref: "c1",
                id: sampleID,
                ids: [sampleID, TransferID(milliseconds: 1, random: (1, 1))],
                error: nil
            )
        ),
        .ack(Frame.Ack(ref: "c1", id: nil, error: Problem(.blockedAddress, "127.0.0.1 is a loopback address"))),
        .unknown(type: "news"),
    ]

    @Test(arguments: frames)
    func `every frame is read as it was written`(frame: Frame) throws {
        #expect(try FrameDecoder.frames(FrameEncoder.encode(frame)) == [frame])
    }

    @Test func `a batch is read in order`() throws {
        let batch = Self.frames.map { String(decoding: FrameEncoder.encode($0), as: UTF8.self) }.joined(separator: ",")
        #expect(try FrameDecoder.frames(Array("[\(batch)]".utf8)) == Self.frames)
    }

    @Test func `a start looks as the protocol says`() throws {
        let id = "01932f0c-0000-7000-8000-000000000001"
        var transfer = Transfer(
            id: try #require(TransferID(id)),
            kind: .download,
            name: "debian-12.iso",
            createdAt: try #require(Timestamp("2026-11-30T02:14:51.120Z"))
        )
        transfer.state = .running
        transfer.source = "https://example.org/debian-12.iso"
        transfer.total = 658_505_728
        transfer.startedAt = Timestamp("2026-11-30T02:14:51.123Z")
        transfer.elapsed = 0
        let at = try #require(Timestamp("2026-11-30T02:14:51.123Z"))
        let expected =
            #"{"type":"start","seq":1042,"at":"2026-11-30T02:14:51.123Z","id":"\#(id)","kind":"download","#
            + #""state":"running","name":"debian-12.iso","group":null,"owner":null,"retryOf":null,"#
            + #""source":"https://example.org/debian-12.iso","target":null,"bytes":0,"total":658505728,"rate":null,"#
            + #""eta":null,"attempt":1,"reason":null,"retryAt":null,"note":null,"outcome":null,"error":null,"#
            + #""createdAt":"2026-11-30T02:14:51.120Z","startedAt":"2026-11-30T02:14:51.123Z","finishedAt":null,"#
            + #""elapsed":0,"digest":null,"href":null,"files":null,"result":null}"#
        #expect(String(decoding: FrameEncoder.encode(.start(seq: 1042, at: at, transfer)), as: UTF8.self) == expected)
        transfer.bytes = 131_072_000
        transfer.rate = 11_534_336
        transfer.eta = 45_733
        let later = try #require(Timestamp("2026-11-30T02:15:02.625Z"))
        let progress =
            #"{"type":"progress","seq":1043,"at":"2026-11-30T02:15:02.625Z","id":"\#(id)","state":"running","#
            + #""bytes":131072000,"total":658505728,"rate":11534336,"eta":45733,"attempt":1,"reason":null,"#
            + #""retryAt":null,"note":null}"#
        var bytes: [UInt8] = []
        FrameEncoder.appendHead(of: .progress, seq: 1043, to: &bytes)
        #expect(bytes.count == FrameEncoder.headLength(of: .progress, seq: 1043))
        bytes += FrameEncoder.figuresTail(of: transfer, born: Transfer.Birth(transfer), at: later)
        #expect(String(decoding: bytes, as: UTF8.self) == progress)
        let frame = Frame.progress(seq: 1043, at: later, Frame.Figures(of: transfer))
        #expect(String(decoding: FrameEncoder.encode(frame), as: UTF8.self) == progress)
    }

    @Test func `an ack looks as the protocol says`() {
        let ack = Frame.Ack(ref: "c1", id: nil, error: Problem(.blockedAddress, "127.0.0.1 is a loopback address"))
        let expected =
            #"{"type":"ack","ref":"c1","ok":false,"error":{"type":"urn:headway:problem:blocked-address","#
            + #""code":"blocked-address","title":"That address is not allowed","#
            + #""detail":"127.0.0.1 is a loopback address","retryable":false}}"#
        #expect(String(decoding: FrameEncoder.encode(.ack(ack)), as: UTF8.self) == expected)
    }

    @Test(arguments: FrameEncoder.RowFrame.allCases, [0, 9, 10, 1042, UInt64.max])
    func `the length of a head is known before it is written`(frame: FrameEncoder.RowFrame, seq: UInt64) {
        var bytes: [UInt8] = []
        FrameEncoder.appendHead(of: frame, seq: seq, to: &bytes)
        #expect(bytes.count == FrameEncoder.headLength(of: frame, seq: seq))
    }

    @Test func `what was learnt since the birth is in the progress, and folds`() throws {
        let born = bareTransfer()
        var now = born
        now.name = "learnt.iso"
        now.startedAt = sampleTime
        now.bytes = 5
        var bytes: [UInt8] = []
        FrameEncoder.appendHead(of: .progress, seq: 1, to: &bytes)
        let read = try FrameDecoder.frames(
            bytes + FrameEncoder.figuresTail(of: now, born: Transfer.Birth(born), at: sampleTime)
        )
        guard case .progress(_, _, let figures) = read[0] else {
            Issue.record("it is no progress")
            return
        }
        var folded = born
        figures.apply(to: &folded)
        #expect(folded == now)
    }

    @Test func `a priority and a limit are there when they are no usual ones`() throws {
        var transfer = bareTransfer()
        let usual = String(decoding: transfer.document(), as: UTF8.self)
        #expect(!usual.contains("priority") && !usual.contains("maxRate"))
        transfer.priority = -100
        transfer.maxRate = 5000
        let text = String(decoding: transfer.document(), as: UTF8.self)
        #expect(text.contains(#""priority":-100,"maxRate":5000}"#))
        #expect(try FrameDecoder.transfer(json(text)) == transfer)
    }

    @Test func `once they were changed they are in every progress, also when they are back`() throws {
        let born = bareTransfer()
        var birth = Transfer.Birth(born)
        var folded = born
        for (priority, maxRate) in [(7, Int64?.none), (7, 100), (0, 100), (0, nil)] {
            var now = born
            now.priority = priority
            now.maxRate = maxRate
            birth.note(now)
            var bytes: [UInt8] = []
            FrameEncoder.appendHead(of: .progress, seq: 1, to: &bytes)
            let read = try FrameDecoder.frames(bytes + FrameEncoder.figuresTail(of: now, born: birth, at: sampleTime))
            guard case .progress(_, _, let figures) = read[0] else {
                Issue.record("it is no progress")
                return
            }
            figures.apply(to: &folded)
            #expect(folded == now)
        }
        let whole = String(decoding: FrameEncoder.wholeTail(of: born, born: birth, at: sampleTime), as: UTF8.self)
        #expect(whole.hasSuffix(#","priority":0,"maxRate":null}"#))
    }

    @Test(arguments: [
        "{}", "[1]", "1", #"{"type":1}"#, #"{"type":"ready"}"#, #"{"type":"ready","seq":-1}"#,
        #"{"type":"ready","seq":"1"}"#,
        #"{"type":"ack","ref":null,"ok":false}"#, #"{"type":"removed","seq":1,"at":"x","id":"y"}"#,
        #"{"type":"start","seq":1,"at":"2026-11-30T02:14:51Z"}"#, #"[{"type":"ready","seq":1},{}]"#, "",
    ])
    func `what is no frame is refused`(text: String) {
        #expect(throws: FrameDecoder.Failure.self) { try FrameDecoder.frames(Array(text.utf8)) }
    }

    @Test func `unknown members, kinds and states are taken as they come`() throws {
        var text = String(decoding: FrameEncoder.encode(.start(seq: 1, at: sampleTime, bareTransfer())), as: UTF8.self)
        text = text.replacing(#""state":"queued""#, with: #""state":"dreaming","new":{"x":[1]}"#)
        text = text.replacing(#""kind":"demo""#, with: #""kind":"telepathy""#)
        guard case .start(_, _, let transfer) = try FrameDecoder.frame(json(text)) else {
            Issue.record("it is no start")
            return
        }
        #expect(transfer.state.rawValue == "dreaming")
        #expect(transfer.kind.rawValue == "telepathy")
    }

    @Test(
        arguments: [
            ("m4x9.1f:1051", "m4x9.1f", 1051), ("a:b:7", "a:b", 7), (":0", "", 0),
        ] as [(String, String, UInt64)]
    )
    func `a resume point is read from an event's id`(text: String, epoch: String, seq: UInt64) {
        #expect(ResumePoint(eventID: text) == ResumePoint(epoch: epoch, seq: seq))
    }

    @Test(arguments: ["", "x", "a:", "a:-1", "a:1x", "a:99999999999999999999999"])
    func `what is no resume point is none`(text: String) {
        #expect(ResumePoint(eventID: text) == nil)
    }
}
