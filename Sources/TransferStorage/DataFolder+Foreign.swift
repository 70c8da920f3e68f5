// SPDX-License-Identifier: Apache-2.0

extension DataFolder {
    /// What lies among the part files and belongs to no transfer, whatever became of that.
    package func listForeignParts() async throws(StorageError) -> [ForeignPart] {
        let parts = try await self.files.listParts()
        let ids = parts.compactMap(\.transferID)
        let known = try await self.store.known(of: ids)
        return parts.filter { part in part.transferID.map { !known.contains($0) } ?? true }
    }
}

extension ForeignPart {
    /// Of which transfer it would be; nil when its name is none of ours.
    fileprivate var transferID: String? {
        self.name.hasSuffix(FileStore.partSuffix) ? String(self.name.dropLast(FileStore.partSuffix.count)) : nil
    }
}
