// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import ProgressProtocol
import TransferCore

/// The operator's program that is told of each end (`--on-complete`), and what it is told.
struct Hook: Sendable {
    private let path: String
    private let limit: Duration
    /// Where finished files are: absolute, for the program may change its folder.
    private let files: String
    /// Our own environment.
    private let ours: [String: String]

    /// Nil where the operator wants none.
    init?(_ configuration: Configuration) {
        guard let path = configuration.onComplete else { return nil }
        self.path = Self.absolute(path)
        self.limit = .seconds(configuration.onCompleteTimeout)
        self.files = Self.absolute(configuration.dataFolder) + "/files"
        self.ours = ProcessInfo.processInfo.environment
    }

    /// A demo moves nothing, so there is nothing with which a script could go on.
    func wants(_ transfer: Transfer) -> Bool {
        transfer.kind != .demo
    }

    /// The program as it is to run for a transfer that has ended.
    func program(for transfer: Transfer) -> Program {
        let files = transfer.storedNames.map { self.files + "/" + $0 }
        let environment = HookFacts.environment(of: transfer, files: files, ours: self.ours)
        return Program(path: self.path, environment: environment, limit: self.limit)
    }

    /// A wrong path would only be found out by the first end.
    ///
    /// - Throws: `StartError` that says what is wrong with it.
    static func check(_ path: String) throws(StartError) {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw StartError("--on-complete \(path) does not exist; give the path of a program, without arguments")
        }
        guard !isFolder.boolValue else { throw StartError("--on-complete \(path) is a folder, not a program") }
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw StartError("--on-complete \(path) can't be executed: chmod +x may be missing")
        }
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }
}
