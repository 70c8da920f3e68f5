// SPDX-License-Identifier: Apache-2.0

import Locks
import TestSupport
import Testing
import TransferStorage

/// The power goes before step n, on a disk that forgets all that was not synced, for n = 1, 2, 3 … until all is done.
@Suite(.timeLimit(.minutes(10))) struct PowerLossTests {
    @Test func `what was returned as published is there after the next boot, and what was not goes on`() async throws {
        let bytes = pattern(200_000)
        var seen: [Adoption] = []
        for step in 1... {
            let directory = try TemporaryDirectory()
            let disk = ForgetfulFiles(directory)
            let folder = try DataFolder(path: directory.path, layer: disk)
            let intents = Locked<[Published]>([])
            disk.losePower(beforeStep: step)
            let published = try? await Self.download(bytes, folder.files) { intent in
                try disk.step()
                intents.withLock { $0.append(intent) }
            }
            folder.close()

            let (remains, inodes) = try disk.remains()
            let next = try DataFolder(path: remains.path)
            defer { next.close() }
            if let intent = intents.withLock({ $0.last }) {
                let adoption = await next.files.adopt(
                    finalName: intent.name,
                    inode: inodes[intent.inode] ?? 0,
                    size: intent.size,
                    partID: "1"
                )
                seen.append(adoption)
                let place = adoption == .published ? "files/a.bin" : "parts/1.part"
                #expect(adoption != .neither, "lost at step \(step)")
                #expect(remains.bytes(of: place) == bytes)
            } else {
                #expect(remains.names(in: "files").isEmpty)
            }
            if published != nil {
                #expect(seen.last == .published)
                break
            }
        }
        #expect(Set(seen) == [.partIsThere, .published])
    }

    @Test func `an offset that was returned as durable is there after the next boot`() async throws {
        let directory = try TemporaryDirectory()
        let disk = ForgetfulFiles(directory)
        let folder = try DataFolder(path: directory.path, layer: disk)
        defer { folder.close() }
        let part = try await folder.files.openPart("1", fresh: true)
        #expect(part.append(pattern(1000)) == nil)
        let durable = try await part.sync()
        #expect(part.append(pattern(500)) == nil)
        let (remains, _) = try disk.remains()
        let size = remains.bytes(of: "parts/1.part").map { Int64($0.count) }
        let kept = Recovery.kept(partSize: size, durableOffset: durable, bootID: "before", currentBootID: "now")
        #expect(kept == 1000)
        #expect(remains.bytes(of: "parts/1.part")?.prefix(1000).elementsEqual(pattern(1000)) == true)
    }

    private static func download(
        _ bytes: [UInt8],
        _ files: FileStore,
        _ recordingIntent: @Sendable (Published) async throws -> Void
    ) async throws -> Published {
        let part = try await files.openPart("1", fresh: true)
        if let error = part.append(Array(bytes.prefix(100_000))) { throw error }
        _ = try await part.sync()
        if let error = part.append(Array(bytes.dropFirst(100_000))) { throw error }
        return try await files.publish(part, as: "a.bin", recordingIntent: recordingIntent)
    }
}
