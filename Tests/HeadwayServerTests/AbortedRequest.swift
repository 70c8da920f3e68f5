// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// The kinds of request, as they are sent, and the words by which their answer is known.
enum AbortedRequest: String, CaseIterable {
    case create, createWithKey, createDownload, list, get, getUnknown, file, events, eventsOfOne
    case pause, resume, cancel, retry, delete, deleteRunning
    case upgrade, upgradeForOne, demo, download, pauseCommand, retryCommand, deleteCommand, watch, sync

    /// Whether it is a message on a WebSocket that is there.
    var isCommand: Bool {
        switch self {
        case .demo, .download, .pauseCommand, .retryCommand, .deleteCommand, .watch, .sync: true
        default: false
        }
    }

    /// What its answer has in it, if all goes well.
    var answer: String {
        switch self {
        case .create, .createWithKey, .createDownload, .retry: "HTTP/1.1 201 "
        case .list, .get, .file, .pause, .resume, .cancel: "HTTP/1.1 200 "
        case .getUnknown: "HTTP/1.1 404 "
        case .delete, .deleteRunning: "HTTP/1.1 204 "
        case .events, .eventsOfOne, .upgrade, .upgradeForOne: #""type":"ready""#
        case .demo, .download, .pauseCommand, .retryCommand, .deleteCommand, .watch, .sync: #""ok":true"#
        }
    }

    /// The state in which the transfer that it is about has to be before; nil where it is about none.
    var subject: String? {
        switch self {
        case .get, .pause, .cancel, .deleteRunning, .pauseCommand, .eventsOfOne, .upgradeForOne: "running"
        case .resume: "paused"
        case .retry, .delete, .retryCommand, .deleteCommand: "cancelled"
        case .file: "stored"
        default: nil
        }
    }

    /// At how many awaits it can at least be cut, counting the one before its work begins.
    var leastAwaits: Int {
        switch self {
        case .get, .pause, .resume, .cancel, .pauseCommand, .sync, .events, .upgrade: 1
        case .create, .createDownload, .list, .getUnknown, .file, .demo, .download: 2
        case .eventsOfOne, .upgradeForOne, .watch: 2
        case .retry, .retryCommand, .delete, .deleteCommand, .deleteRunning: 3
        case .createWithKey: 5
        }
    }

    static let unknown = "01938f5e-7c1a-7b2d-9c4e-5f60718293a4"
    private static let order = #"{"kind":"demo","total":1000,"rate":1000000}"#
    private static let link = "http://127.0.0.1:1/nobody"

    /// Its bytes, of the whole request or of the message; `id` is the transfer that it is about.
    func bytes(id: String) -> String {
        switch self {
        case .create: Self.post("transfers", Self.order)
        case .createWithKey:
            Self.post("transfers", Self.order, "Idempotency-Key: k\(UInt64.random(in: 0...(.max)))\r\n")
        case .createDownload: Self.post("transfers", #"{"kind":"download","url":"\#(Self.link)"}"#)
        case .list: Self.head("GET", "transfers?limit=5")
        case .get: Self.head("GET", "transfers/\(id)")
        case .getUnknown: Self.head("GET", "transfers/\(Self.unknown)")
        case .file: Self.head("GET", "files/\(id)")
        case .events: Self.head("GET", "events")
        case .eventsOfOne: Self.head("GET", "events?id=\(Self.unknown)")
        case .pause, .resume, .cancel, .retry: Self.post("transfers/\(id)/\(self.rawValue)", "")
        case .delete, .deleteRunning: Self.head("DELETE", "transfers/\(id)")
        case .upgrade: Self.upgrade("")
        case .upgradeForOne: Self.upgrade("?id=\(Self.unknown)")
        case .demo: #"{"op":"demo","ref":"r","total":1000,"rate":1000000}"#
        case .download: #"{"op":"download","ref":"r","url":"\#(Self.link)"}"#
        case .pauseCommand: #"{"op":"pause","ref":"r","id":"\#(id)"}"#
        case .retryCommand: #"{"op":"retry","ref":"r","id":"\#(id)"}"#
        case .deleteCommand: #"{"op":"delete","ref":"r","id":"\#(id)"}"#
        case .watch: #"{"op":"watch","ref":"r","id":"\#(Self.unknown)"}"#
        case .sync: #"{"op":"sync","ref":"r"}"#
        }
    }

    static func post(_ path: String, _ body: String, _ more: String = "") -> String {
        "POST /api/v1/\(path) HTTP/1.1\r\nHost: localhost\r\n\(more)Content-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    static func head(_ method: String, _ path: String, _ more: String = "") -> String {
        "\(method) /api/v1/\(path) HTTP/1.1\r\nHost: localhost\r\n\(more)\r\n"
    }

    private static func upgrade(_ query: String) -> String {
        Self.head(
            "GET",
            "ws\(query)",
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        )
    }
}
