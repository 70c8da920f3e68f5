// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// Which upload a file had, over several runs of the command: a small file under `$XDG_STATE_HOME/headway`.
///
/// Where it can't be kept, an upload that was broken off begins anew.
struct UploadMemory {
    private let place: URL

    /// The same file, by path, size and time of its last change, to the same server under the same name.
    init(_ upload: Upload, base: URL) {
        let environment = ProcessInfo.processInfo.environment
        let home =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state"
        let values = try? upload.file.resourceValues(forKeys: [.fileSizeKey, .contentModificationDateKey])
        let key = [
            base.absoluteString, upload.file.standardizedFileURL.path, upload.name, upload.group ?? "",
            String(values?.fileSize ?? -1), String(values?.contentModificationDate?.timeIntervalSince1970 ?? 0),
        ].joined(separator: "\0")
        self.place = URL(fileURLWithPath: home).appendingPathComponent("headway/uploads/\(Self.hash(of: key))")
    }

    var id: TransferID? {
        (try? String(contentsOf: self.place, encoding: .utf8)).flatMap { TransferID($0) }
    }

    func keep(_ id: TransferID) {
        try? FileManager.default.createDirectory(
            at: self.place.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try? Data(id.description.utf8).write(to: self.place, options: .atomic)
    }

    func forget() {
        try? FileManager.default.removeItem(at: self.place)
    }

    /// FNV-1a, 64 bits: a name for a file, not a secret.
    private static func hash(of text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
