// SPDX-License-Identifier: Apache-2.0

/// Why the server closes a WebSocket; always with a reason in words.
public enum CloseCode: UInt16, Sendable, CaseIterable {
    /// The server is stopping; come back.
    case goingAway = 1001
    /// A binary message came; only text is understood.
    case unsupportedData = 1003
    /// A text message was not UTF-8.
    case invalidPayload = 1007
    /// A message was over the limit.
    case messageTooBig = 1009
    /// Too many connections; come back later.
    case tryAgainLater = 1013
    /// A message was not a JSON object.
    case notAnObject = 4400
    /// No credential, or one that has expired.
    case unauthorized = 4401
    /// Not allowed.
    case forbidden = 4403
    /// Far more commands than the limit allows.
    case flood = 4429
}
