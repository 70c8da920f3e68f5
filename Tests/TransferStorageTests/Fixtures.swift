// SPDX-License-Identifier: Apache-2.0

import TestSupport
import TransferStorage

/// A data folder in a temporary place, with the layer that a test may script.
struct Fixture {
    let directory: TemporaryDirectory
    let layer: ScriptedFiles
    let folder: DataFolder

    init(in directory: TemporaryDirectory? = nil) throws {
        self.directory = try directory ?? TemporaryDirectory()
        self.layer = ScriptedFiles()
        self.folder = try DataFolder(path: self.directory.path, layer: self.layer)
    }

    var files: FileStore { self.folder.files }
    var store: TransferStore { self.folder.store }

    /// A part file with these bytes in it.
    func part(_ bytes: [UInt8], id: String = "1") async throws -> PartFile {
        let part = try await self.files.openPart(id, fresh: true)
        if let error = part.append(bytes) { throw error }
        return part
    }
}

extension PartFile {
    func append(_ bytes: [UInt8]) -> StorageError? {
        unsafe bytes.withUnsafeBytes { unsafe self.append($0) }
    }
}

/// Bytes without an order that a power of two could hide.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed
    let block = (0..<min(count, 65_521)).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    return Array(bytes[..<count])
}

func record(
    _ id: String,
    birth: Int64 = 1,
    state: String = "running",
    name: String? = nil,
    group: String? = nil,
    finishedAt: Int64? = nil
) -> TransferRecord {
    TransferRecord(
        id: id,
        birth: birth,
        kind: "download",
        state: state,
        name: name ?? "\(id).bin",
        group: group,
        createdAt: 1_700_000_000_000,
        finishedAt: finishedAt,
        document: #"{"id":"\#(id)"}"#
    )
}
