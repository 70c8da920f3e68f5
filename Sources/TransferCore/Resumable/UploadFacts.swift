// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// What the rules of resumable uploads want to know of a request.
package struct UploadFacts: Sendable {
    /// In capitals, as it was sent.
    package var method: String
    /// Names in lower case.
    package var headers: [(name: String, value: String)]
    /// How long the body is; nil when only its end will tell.
    package var bodyLength: Int64?

    package init(method: String, headers: [(name: String, value: String)], bodyLength: Int64?) {
        self.method = method
        self.headers = headers
        self.bodyLength = bodyLength
    }

    /// The value of a header, without blanks around it.
    package func header(_ lowercaseName: String) -> String? {
        self.headers.first { $0.name == lowercaseName }?.value.trimmed()
    }

    /// A header that is one whole number of bytes; nil when it is not there.
    ///
    /// - Throws: `Problem` with status 400.
    package func count(_ lowercaseName: String) throws(Problem) -> Int64? {
        guard let text = self.header(lowercaseName) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy(ResponseFacts.isDigit), let count = Int64(text),
            count <= Self.largest
        else {
            throw Problem(
                .invalid,
                "\(lowercaseName) is a whole number of bytes, not \"\(text.prefix(40))\"",
                status: 400
            )
        }
        return count
    }

    /// The content type without its parameters, in lower case.
    package var contentType: String? {
        self.header("content-type").map { HeaderParameters($0).value }
    }

    /// 2^53 − 1, the largest number of the wire.
    private static let largest: Int64 = 9_007_199_254_740_991
}
