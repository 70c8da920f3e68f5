// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProgressProtocol

/// The sample frames that every suite reads.
enum Corpus {
    static func lines() throws -> [[UInt8]] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: tests.appending(path: "Fixtures/frames.ndjson"))
        return data.split(separator: UInt8(ascii: "\n")).map { Array($0) }
    }

    static func frames() throws -> [Frame] {
        try self.lines().flatMap { try FrameDecoder.frames($0) }
    }
}
