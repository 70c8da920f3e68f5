// SPDX-License-Identifier: Apache-2.0

/// How a download ended.
package enum DownloadEnd: Sendable, Equatable {
    /// libcurl saw no error: the body is complete as far as it can tell.
    ///
    /// The status is the receiver's to judge.
    case finished
    /// By `stop(_:)` or `shutdown()`.
    case stopped
    /// The receiver wanted no (more) body, or a resume was answered with something that can't be appended.
    ///
    /// That is any status but 206 and 416, so a whole file (200) too, and a 206 that begins elsewhere or does not say
    /// where. The head was told before in every case.
    case refused
    /// Nothing moved for so long.
    case stalled(after: Duration)
    /// Slower than the request's floor over a whole window: so many bytes came in so long.
    case tooSlow(bytes: Int64, in: Duration)
    case failed(CurlFailure)
}
