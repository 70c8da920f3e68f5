// SPDX-License-Identifier: Apache-2.0

/// A way of making a digest; the raw value is its name in OpenSSL.
package enum DigestAlgorithm: String, Sendable, CaseIterable {
    case md5
    case sha1
    case sha256
    case sha512
}
