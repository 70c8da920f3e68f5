// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// The rules of tus 1.0.0 for one request, before anything is looked up.
package enum Tus {
    /// The one version.
    package static let version = "1.0.0"
    /// What is offered beyond the core.
    package static let extensions =
        "creation,creation-with-upload,creation-defer-length,termination,checksum,expiration"
    /// `Tus-Checksum-Algorithm`.
    package static let checksums = ChunkChecksum.Algorithm.allCases.map(\.rawValue).joined(separator: ",")
    /// Of a body that goes into the file.
    package static let contentType = "application/offset+octet-stream"

    /// The method that is meant: a POST may stand for another one.
    package static func method(_ facts: UploadFacts) -> String {
        guard facts.method == "POST", let other = facts.header("x-http-method-override")?.uppercased(),
            ["PATCH", "DELETE", "HEAD", "OPTIONS"].contains(other)
        else { return facts.method }
        return other
    }

    /// Each request names the version; one that only looks may leave it out, and OPTIONS asks for it.
    ///
    /// - Throws: `Problem` with status 412.
    package static func checkVersion(_ facts: UploadFacts) throws(Problem) {
        let given = facts.header("tus-resumable")
        let method = Self.method(facts)
        if method == "OPTIONS" || (given == nil && ["HEAD", "GET"].contains(method)) { return }
        guard given == Self.version else {
            let detail = "Tus-Resumable has to be \(Self.version), not \"\((given ?? "").prefix(40))\""
            throw Problem(.invalid, detail, status: 412)
        }
    }

    /// - Throws: `Problem` with status 413.
    static func check(_ length: Int64, _ maximum: Int64?) throws(Problem) {
        guard let maximum, length > maximum else { return }
        throw Problem(.tooLarge, "the file has \(length) bytes, and \(maximum) are the most that is taken", status: 413)
    }
}
