// SPDX-License-Identifier: Apache-2.0

/// The last record of a page, as a text that nobody needs to understand: birth in base 36, a dot, the id.
struct HistoryCursor {
    let birth: Int64
    let id: String

    init(_ record: TransferRecord) {
        self.birth = record.birth
        self.id = record.id
    }

    init(_ text: String) throws(StorageError) {
        let parts = text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let birth = Int64(parts[0], radix: 36) else {
            throw StorageError(.invalid, "\"\(text.prefix(80))\" is not where a page of the list ends")
        }
        self.birth = birth
        self.id = String(parts[1])
    }

    var text: String { String(self.birth, radix: 36) + "." + self.id }
}
