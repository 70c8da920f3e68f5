// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A folder for one test, gone with everything in it when the last one lets go of it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "headway-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        self.path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    /// The bytes of a file in it; nil if there is none.
    package func bytes(of name: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(filePath: self.path + "/" + name))).map(Array.init)
    }

    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: self.path + "/" + name))
    }

    package func makeExecutable(_ name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: self.path + "/" + name)
    }

    package func makeLink(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: self.path + "/" + name, withDestinationPath: target)
    }

    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: self.path + "/" + name, withIntermediateDirectories: true)
    }

    /// A second name for a file.
    package func makeTwin(_ name: String, of other: String) throws {
        try FileManager.default.linkItem(atPath: self.path + "/" + other, toPath: self.path + "/" + name)
    }

    package func delete(_ name: String) throws {
        try FileManager.default.removeItem(atPath: self.path + "/" + name)
    }

    /// What lies in one of its folders, sorted.
    package func names(in folder: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.path + "/" + folder)) ?? []).sorted()
    }
}
