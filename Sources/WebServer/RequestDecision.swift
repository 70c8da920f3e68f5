// SPDX-License-Identifier: Apache-2.0

/// What the application does about a request whose whole body is there.
package enum RequestDecision: Sendable {
    case respond(HTTPResponse)
    /// `respond` will be called with the same id.
    ///
    /// Nothing times out meanwhile: whoever answers later sees to it that an answer comes.
    case later
    /// The head goes out (status 200, "Connection: close", no length); raw bytes follow by `write`, from `streamOpened` on.
    case eventStream(headers: [(String, String)])
}
