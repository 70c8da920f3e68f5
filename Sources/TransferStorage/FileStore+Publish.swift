// SPDX-License-Identifier: Apache-2.0

extension FileStore {
    /// Gives a part file its final name, in the order that makes the promise "announced means on disk" true:
    /// the bytes are durable, the intent is committed, the file is renamed, both folders are durable.
    ///
    /// `recordingIntent` commits what will stand under which name; it is asked again when that name was taken in the
    /// meantime. After an error the part file is where it was.
    package func publish(
        _ part: PartFile,
        as name: String,
        recordingIntent: @Sendable (Published) async throws -> Void
    ) async throws(StorageError) -> Published {
        let wanted = try ComponentName(name)
        part.startDigest()
        let status = try await part.inLane { () throws(StorageError) in try part.prepareToPublish() }
        let digest = part.followsDigest ? Self.hexadecimal(try await part.digest()) : nil
        var number = 0
        while true {
            let first = number
            number = try await self.threads.run { () throws(StorageError) in
                try self.firstFree(wanted, from: first)
            }
            let intended = Published(
                name: wanted.variant(number),
                inode: status.inode,
                size: status.size,
                digest: digest
            )
            do {
                try await recordingIntent(intended)
            } catch let error as StorageError {
                throw error
            } catch {
                throw StorageError(.io, of: part.name, "has a final name that could not be recorded: \(error)")
            }
            let isNamed = try await part.inLane { () throws(StorageError) in try self.rename(part, to: intended.name) }
            if isNamed { return intended }
            number += 1
        }
    }

    /// Where the bytes of a *finishing* transfer are, told by the inode that was recorded before the rename.
    package func adopt(finalName: String, inode: UInt64, size: Int64, partID: String) async -> Adoption {
        guard let finalName = try? ComponentName(finalName).text, let partName = try? Self.partName(partID) else {
            return .neither
        }
        return await self.threads.run {
            let isWhole = { (status: FileStatus?) in status?.inode == inode && status?.size == size }
            let part = self.regularPart(partName)
            if let final = try? self.files.status(of: finalName), final.isRegular, isWhole(final) {
                // The crash may have come before the folders were durable, or between a link and an unlink.
                if part?.inode == inode { try? self.parts.unlink(partName) }
                guard (try? self.files.sync()) != nil, (try? self.parts.sync()) != nil else { return .neither }
                return .published
            }
            return isWhole(part) ? .partIsThere : .neither
        }
    }

    /// False when somebody took the name since it was found free.
    private func rename(_ part: PartFile, to name: String) throws(StorageError) -> Bool {
        // Whoever closed it may be opening another one of this name.
        try part.checkUsable()
        do throws(StorageError) {
            try self.parts.rename(part.name, to: name, in: self.files)
        } catch {
            guard error.kind == .taken else { throw error }
            return false
        }
        do throws(StorageError) {
            try self.files.sync()
            try self.parts.sync()
        } catch {
            // What can't be promised must not stand there as if it were.
            try? self.files.rename(name, to: part.name, in: self.parts)
            throw error
        }
        return true
    }

    /// The number of a free name: tried in order at first, then in doubling steps and by halving what lies between, so
    /// that the ten-thousandth "image.jpg" costs thirty questions.
    private func firstFree(_ name: ComponentName, from first: Int) throws(StorageError) -> Int {
        var taken = first - 1
        var step = 1
        var free = first
        while try self.files.status(of: name.variant(free)) != nil {
            taken = free
            if free - first >= 16 { step *= 2 }
            free += step
        }
        while free - taken > 1 {
            let middle = taken + (free - taken) / 2
            if try self.files.status(of: name.variant(middle)) != nil { taken = middle } else { free = middle }
        }
        return free
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
