// SPDX-License-Identifier: Apache-2.0

/// What went wrong, for programs (`code`) and for people (`title`, `detail`): RFC 9457's problem details.
public struct Problem: Error, Hashable, Sendable {
    /// The stable word that clients switch on.
    ///
    /// Open: more may be added.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The word on the wire.
        public let rawValue: String

        /// Any word is a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The stable word.
    public var code: Code
    /// One short sentence, the same for every problem of this code.
    public var title: String
    /// What happened here, with the value that was wrong.
    public var detail: String
    /// Whether the same thing, tried again, could succeed.
    public var retryable: Bool
    /// The HTTP status of our own answer, where there is one.
    public var status: Int?
    /// What the remote answered, where it did.
    public var remoteStatus: Int?

    /// Makes a problem; `title` follows from the code.
    public init(_ code: Code, _ detail: String, retryable: Bool = false, status: Int? = nil, remoteStatus: Int? = nil) {
        self.code = code
        self.title = code.title
        self.detail = detail
        self.retryable = retryable
        self.status = status
        self.remoteStatus = remoteStatus
    }
}

extension Problem.Code {
    /// A remote answered with a status that means no.
    public static let remoteStatus = Self(rawValue: "remote-status")
    /// A remote could not be reached, or broke the connection.
    public static let remoteUnreachable = Self(rawValue: "remote-unreachable")
    /// A remote was silent for too long.
    public static let remoteTimeout = Self(rawValue: "remote-timeout")
    /// A remote spoke something that is not HTTP as we know it.
    public static let remoteProtocol = Self(rawValue: "remote-protocol")
    /// A secure connection could not be made, or its certificate is not to be trusted.
    public static let tls = Self(rawValue: "tls")
    /// More or fewer bytes came than were announced.
    public static let lengthMismatch = Self(rawValue: "length-mismatch")
    /// The bytes are not those that the checksum speaks of.
    public static let checksumMismatch = Self(rawValue: "checksum-mismatch")
    /// Over a limit of size.
    public static let tooLarge = Self(rawValue: "too-large")
    /// No room on our disk.
    public static let diskFull = Self(rawValue: "disk-full")
    /// All files together have reached what the operator allows.
    public static let storeFull = Self(rawValue: "store-full")
    /// Our disk failed.
    public static let diskError = Self(rawValue: "disk-error")
    /// The source became another one on the way.
    public static let sourceChanged = Self(rawValue: "source-changed")
    /// Whoever worked on it says that it failed.
    public static let taskFailed = Self(rawValue: "task-failed")
    /// It was cut off and can't go on.
    public static let interrupted = Self(rawValue: "interrupted")
    /// The sender went away.
    public static let clientDisconnected = Self(rawValue: "client-disconnected")
    /// That address may not be contacted.
    public static let blockedAddress = Self(rawValue: "blocked-address")
    /// Not a link that can be fetched.
    public static let unsupportedURL = Self(rawValue: "unsupported-url")
    /// Not possible in the state that it is in.
    public static let wrongState = Self(rawValue: "wrong-state")
    /// There is no such thing.
    public static let notFound = Self(rawValue: "not-found")
    /// Not understood.
    public static let invalid = Self(rawValue: "invalid")
    /// Nobody known.
    public static let unauthorized = Self(rawValue: "unauthorized")
    /// Known, and not allowed.
    public static let forbidden = Self(rawValue: "forbidden")
    /// Too often.
    public static let rateLimited = Self(rawValue: "rate-limited")
    /// Our own fault.
    public static let internalError = Self(rawValue: "internal")

    /// The sentence that stands for this code.
    public var title: String {
        Self.titles[self] ?? "Something went wrong"
    }

    private static let titles: [Self: String] = [
        .remoteStatus: "The server answered with an error",
        .remoteUnreachable: "The server could not be reached",
        .remoteTimeout: "The server stopped answering",
        .remoteProtocol: "The server's answer was not understood",
        .tls: "The secure connection failed",
        .lengthMismatch: "The length does not match",
        .checksumMismatch: "The checksum does not match",
        .tooLarge: "That is too large",
        .diskFull: "The disk is full",
        .storeFull: "The store is full",
        .diskError: "The disk failed",
        .sourceChanged: "The source changed",
        .taskFailed: "The task failed",
        .interrupted: "It was interrupted",
        .clientDisconnected: "The sender went away",
        .blockedAddress: "That address is not allowed",
        .unsupportedURL: "That link can't be fetched",
        .wrongState: "Not possible in this state",
        .notFound: "Not found",
        .invalid: "Not understood",
        .unauthorized: "Sign in first",
        .forbidden: "Not allowed",
        .rateLimited: "Too many at once",
        .internalError: "Headway made a mistake",
    ]
}
