// SPDX-License-Identifier: Apache-2.0

/// What a transfer does.
///
/// Open: a client accepts kinds that it has never heard of.
public struct TransferKind: RawRepresentable, Hashable, Sendable {
    /// The word on the wire.
    public let rawValue: String

    /// Any word is a kind.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A link is fetched into the store.
    public static let download = Self(rawValue: "download")
    /// A file comes in.
    public static let upload = Self(rawValue: "upload")
    /// A stored file goes to a remote endpoint.
    public static let push = Self(rawValue: "push")
    /// Nothing is moved: a script plays.
    public static let demo = Self(rawValue: "demo")
    /// Somebody else works, and reports how far it is.
    public static let task = Self(rawValue: "task")
}
