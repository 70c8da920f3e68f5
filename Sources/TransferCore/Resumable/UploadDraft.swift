// SPDX-License-Identifier: Apache-2.0

/// The IETF's "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload): the interop versions that are spoken,
/// and where they differ for a server.
///
/// A request that names none of them in `Upload-Draft-Interop-Version` asks for no resumable upload.
package enum UploadDraft: Int, Sendable, CaseIterable, Comparable {
    /// Draft -01: URLSession of iOS 17.
    case version3 = 3
    /// Draft -03: iOS 18.0.
    case version5 = 5
    /// Drafts -04 and -05: iOS 18.1 and later.
    case version6 = 6
    /// From draft -09 on.
    case version8 = 8

    /// Of a body that goes behind what is there (from version 6 on).
    package static let contentType = "application/partial-upload"

    /// The header that says who speaks what.
    package static let header = "upload-draft-interop-version"

    /// The version that a request names; nil without one, or with one that is not spoken here.
    package init?(_ facts: UploadFacts) {
        guard let number = facts.header(Self.header).flatMap({ Int($0) }) else { return nil }
        self.init(rawValue: number)
    }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Whether a request says that the file ends with its body; nil when it says neither.
    func isComplete(_ facts: UploadFacts) -> Bool? {
        self == .version3
            ? Self.boolean(facts.header("upload-incomplete")).map { !$0 }
            : Self.boolean(facts.header("upload-complete"))
    }

    /// What tells a client whether the upload is whole.
    package func completeness(_ isComplete: Bool) -> (String, String) {
        guard self == .version3 else { return ("upload-complete", isComplete ? "?1" : "?0") }
        return ("upload-incomplete", isComplete ? "?0" : "?1")
    }

    /// `Upload-Limit`, from version 6 on; it is said also where there is no limit.
    ///
    /// - Parameters:
    ///   - maximum: bytes of a file; nil without a limit.
    ///   - age: for how many seconds from now the upload can be gone on with.
    /// - Returns: the header, or nothing before version 6.
    package func limits(maximum: Int64?, age: Int64?) -> [(String, String)] {
        guard self >= .version6 else { return [] }
        var limits = [maximum.map { "max-size=\($0)" } ?? "min-size=0"]
        if let age { limits.append((self == .version6 ? "expires=" : "max-age=") + "\(max(age, 0))") }
        return [("upload-limit", limits.joined(separator: ", "))]
    }

    /// A boolean of RFC 9651 §3.3.6, its parameters left aside; nil for anything else: such a header does not count.
    private static func boolean(_ text: String?) -> Bool? {
        switch text?.split(separator: ";", omittingEmptySubsequences: false).first.map({ String($0).trimmed() }) {
        case "?1": true
        case "?0": false
        default: nil
        }
    }
}
