// SPDX-License-Identifier: Apache-2.0

import TransferStorage

/// What a backup came to, in words for the person who asked for it.
package struct BackupReport: Sendable {
    /// One line, and one for each file that was not there.
    package let lines: [String]

    /// Copies a data folder into another one, while a server may be working in it.
    ///
    /// - Parameters:
    ///   - source: the data folder.
    ///   - destination: made if need be.
    /// - Throws: `StartError`: one line for the person who asked for it.
    package init(backingUp source: String, to destination: String) throws(StartError) {
        let backup: Backup
        do {
            backup = try Backup(of: source, to: destination)
        } catch {
            switch error.kind {
            case .locked(let owner):
                throw StartError("a server works in \(destination) (\(owner)): choose another folder")
            default: throw StartError("the backup could not be made: \(error.message)")
            }
        }
        let links = backup.linked > 0 ? ", \(backup.linked) of them as links that take no room" : ""
        self.lines =
            [
                "Backed up to \(destination): \(backup.transfers) transfers, "
                    + "\(backup.files) files with \(backup.bytes) bytes\(links)"
            ] + backup.missing.map { "missing: \($0) is not in \(source)/files any more" }
    }
}
