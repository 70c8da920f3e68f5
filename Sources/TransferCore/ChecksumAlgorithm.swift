// SPDX-License-Identifier: Apache-2.0

/// A way to make a checksum; the raw value is its key in RFC 9530 and the registry behind it.
package enum ChecksumAlgorithm: String, Sendable, CaseIterable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"
    /// Says that nothing got lost, not that nobody meddled.
    case sha1 = "sha"
    /// Says that nothing got lost, not that nobody meddled.
    case md5

    /// How long its checksums are.
    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// What it is called before a colon and hexadecimal digits.
    package var shortName: String {
        switch self {
        case .md5: "md5"
        case .sha1: "sha1"
        case .sha256: "sha256"
        case .sha512: "sha512"
        }
    }

    /// What a person reads.
    package var title: String {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA-1"
        case .sha256: "SHA-256"
        case .sha512: "SHA-512"
        }
    }

    /// Takes every usual way to write the name, in upper or lower case.
    package init?(named name: some StringProtocol) {
        switch name.lowercased() {
        case "md5": self = .md5
        case "sha", "sha1", "sha-1": self = .sha1
        case "sha256", "sha-256": self = .sha256
        case "sha512", "sha-512": self = .sha512
        default: return nil
        }
    }
}
