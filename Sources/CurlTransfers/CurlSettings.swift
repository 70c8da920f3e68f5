// SPDX-License-Identifier: Apache-2.0

/// What is the same for every download of an engine.
struct CurlSettings: Sendable {
    let policy: AddressPolicy
    let userAgent: String
    let certificateAuthorities: String?
}
