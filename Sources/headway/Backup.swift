// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayServer

/// `headway backup`: copies a data folder while a server may be working in it.
enum Backup {
    private static let help = """
        Copies the database and all finished files of a data folder, while a server may be working in it.

        usage: headway backup [flags] DIR

          DIR           where to; made if need be. One that holds an older backup is brought up to date
          --data DIR    the data folder; default headway-data, or HEADWAY_DATA
          --help        this text

        The copy is a data folder itself: to restore it, copy it to where the server's was, and start that. Downloads
        that had not ended are in it, and begin anew. On one file system files are linked, not copied: for a backup
        that outlives the disk, DIR has to be on another one.
        exit status: 0 done, 1 not done or some files were missing, 64 wrong usage

        example: headway backup --data /var/lib/headway /mnt/backup/headway
        """

    static let flags = [Flag(name: "--data", value: "DIR", help: "the data folder"), .help]

    static func run(arguments: [String]) -> Int32 {
        let environment = ProcessInfo.processInfo.environment
        do {
            let words = try Arguments(arguments, flags: Self.flags, environment: environment)
            guard !words.has("--help") else {
                Output.print(Self.help)
                return ExitStatus.succeeded
            }
            guard let destination = try words.subject else {
                throw UsageError("the folder is missing, as in: headway backup /mnt/backup/headway")
            }
            let variable = environment["HEADWAY_DATA"].flatMap { $0.isEmpty ? nil : $0 }
            let source = words["--data"] ?? variable ?? "headway-data"
            let report = try BackupReport(backingUp: source, to: destination)
            for line in report.lines { Output.print(line) }
            return report.lines.count == 1 ? ExitStatus.succeeded : ExitStatus.failed
        } catch let error as UsageError {
            Output.complain("headway backup: " + error.description)
            return ExitStatus.usage
        } catch {
            Output.complain("headway backup: \(error)")
            return ExitStatus.failed
        }
    }
}
