// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import Testing
import TestSupport
import TransferStorage

/// The server ends before step n of publishing, for n = 1, 2, 3 … until one run is through without having been ended.
@Suite(.timeLimit(.minutes(10))) struct CrashTests {
    @Test(arguments: [false, true]) func `whenever it ends, the file is whole under its name, or goes on`(
        isTaken: Bool
    ) async throws {
        let bytes = pattern(300_000)
        var step = 0
        var adoptions: [Adoption] = []
        while true {
            step += 1
            let directory = try TemporaryDirectory()
            let intents = Intents()
            let isThrough = try await self.publish(bytes, in: directory, isTaken: isTaken, endingBefore: step, intents)

            let folder = try DataFolder(path: directory.path)
            if let intent = intents.all.last {
                let adoption = await folder.files.adopt(
                    finalName: intent.name,
                    inode: intent.inode,
                    size: intent.size,
                    partID: "1"
                )
                adoptions.append(adoption)
                switch adoption {
                case .published: #expect(directory.bytes(of: "files/" + intent.name) == bytes)
                case .partIsThere:
                    let part = try await folder.files.openPart("1", fresh: false)
                    let published = try await folder.files.publish(part, as: "a.bin") { _ in }
                    #expect(directory.bytes(of: "files/" + published.name) == bytes)
                case .neither: Issue.record("lost at step \(step)")
                }
                #expect(directory.names(in: "files").count == (isTaken ? 2 : 1))
                #expect(directory.names(in: "parts").isEmpty)
            } else {
                #expect(directory.names(in: "files").count == (isTaken ? 1 : 0))
                #expect(directory.bytes(of: "parts/1.part") == bytes)
            }
            if isTaken { #expect(directory.bytes(of: "files/a.bin") == [9]) }
            folder.close()
            if isThrough { break }
        }
        #expect(step > 6)
        #expect(adoptions.contains(.partIsThere))
        #expect(adoptions.last == .published)
    }

    /// Whether it came to its end.
    private func publish(
        _ bytes: [UInt8],
        in directory: TemporaryDirectory,
        isTaken: Bool,
        endingBefore step: Int,
        _ intents: Intents
    ) async throws -> Bool {
        let fixture = try Fixture(in: directory)
        let part = try await fixture.part(bytes)
        let layer = fixture.layer
        layer.stop(before: step)
        let isThrough =
            (try? await fixture.files.publish(part, as: "a.bin") { intent in
                try layer.note("intent")
                intents.add(intent)
                // Somebody takes the name between the intent and the rename.
                if isTaken, intent.name == "a.bin" { try directory.write([9], to: "files/a.bin") }
            }) != nil
        if isTaken, intents.all.isEmpty { try directory.write([9], to: "files/a.bin") }
        fixture.folder.close()
        return isThrough
    }

    @Test func `a file that is neither here nor there is to be fetched again`() async throws {
        let fixture = try Fixture()
        #expect(await fixture.files.adopt(finalName: "a", inode: 1, size: 1, partID: "1") == .neither)
        try fixture.directory.write([1], to: "files/a")
        #expect(await fixture.files.adopt(finalName: "a", inode: 1, size: 1, partID: "1") == .neither)
    }

    @Test func `of two names for one file the hidden one goes`() async throws {
        let fixture = try Fixture()
        let part = try await fixture.part([1])
        let intent = try await fixture.files.publish(part, as: "a") { _ in }
        try fixture.directory.makeTwin("parts/1.part", of: "files/a")
        let adoption = await fixture.files.adopt(finalName: "a", inode: intent.inode, size: 1, partID: "1")
        #expect(adoption == .published)
        #expect(fixture.directory.names(in: "parts").isEmpty)
    }

    @Test func `a part is trusted as far as the kernel that wrote it lives`() {
        let kept = { (size: Int64?, durable: Int64, boot: String) in
            Recovery.kept(partSize: size, durableOffset: durable, bootID: boot, currentBootID: "now")
        }
        #expect(kept(100, 64, "now") == 100)
        #expect(kept(100, 64, "before") == 64)
        #expect(kept(50, 64, "before") == 50)
        #expect(kept(nil, 64, "now") == 0)
        #expect(Recovery.kept(partSize: 100, durableOffset: 64, bootID: "", currentBootID: "") == 64)
        #expect(kernelBootID().count == 36)
    }
}

/// What was committed.
private final class Intents: Sendable {
    private let intents = Locked<[Published]>([])
    var all: [Published] { self.intents.withLock { $0 } }
    func add(_ intent: Published) { self.intents.withLock { $0.append(intent) } }
}
