// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A file that an app sends to a server.
public struct Upload: Hashable, Sendable {
    /// Where it lies; it must stay as it is until it is sent.
    public var file: URL
    /// What it shall be called there.
    public var name: String
    /// What it belongs to.
    public var group: String?
    /// Bytes of one request, at least 64 KiB.
    ///
    /// What a proxy buffers, and what a request that breaks in the background of a phone has to send again.
    public var chunk = 8 << 20

    /// Makes the order to send a file; its name is the file's own unless you say otherwise.
    public init(file: URL, name: String? = nil, group: String? = nil) {
        self.file = file
        self.name = name ?? file.lastPathComponent
        self.group = group
    }
}

/// How far an upload is.
public struct UploadProgress: Hashable, Sendable {
    /// Bytes that the server has.
    public var taken: Int64
    /// Bytes of the file.
    public var total: Int64

    /// What belongs on a bar: 0 to 1, and 1 for an empty file.
    public var fraction: Double { self.total > 0 ? Double(self.taken) / Double(self.total) : 1 }
}
