// SPDX-License-Identifier: Apache-2.0

/// What is to be fetched, and from where on.
package struct DownloadRequest: Sendable {
    /// http or https; a blank in it is encoded.
    package var url: String
    /// Further header lines; one with a control character is left out.
    package var headers: [(name: String, value: String)] = []
    /// Bytes that are there already; above 0 only the rest is asked for.
    package var offset: Int64 = 0
    /// The validator of what is there, sent as If-Range.
    package var ifRange: String?
    /// After so long without a byte it counts as broken; also before and in the head.
    package var stallTimeout: Duration = .seconds(30)

    package init(url: String) {
        self.url = url
    }
}

/// Which running download.
package struct DownloadHandle: Hashable, Sendable {
    let number: UInt64
}

/// Hears what a running download tells; every call is made on the curl thread: head, body …, ended.
package protocol DownloadReceiver: AnyObject, Sendable {
    /// The head of the final answer. False: take no body.
    func head(_ response: ResponseHead) -> Bool
    /// A piece of the body. False: stop.
    func body(_ bytes: UnsafeRawBufferPointer) -> Bool
    /// It is over; called exactly once, and nothing follows.
    func ended(_ end: DownloadEnd)
}

/// The head of an answer: redirects and interim answers are left out.
package struct ResponseHead: Sendable {
    /// The status code.
    package var status: Int
    /// The URL that answered.
    package var effectiveURL: String
    /// Every line, with its name in lower case.
    package var fields: [(name: String, value: String)]

    package init(status: Int, effectiveURL: String, fields: [(name: String, value: String)]) {
        self.status = status
        self.effectiveURL = effectiveURL
        self.fields = fields
    }

    /// Every value that was sent under a name.
    package func values(_ lowercaseName: String) -> [String] {
        self.fields.filter { $0.name == lowercaseName }.map(\.value)
    }
}

/// How a download ended, as far as libcurl can tell.
package enum DownloadEnd: Sendable, Hashable {
    /// Without an error.
    case finished
    /// By `stop`.
    case stopped
    /// The receiver said no.
    case refused
    /// Nothing came for so long.
    case stalled(after: Duration)
    case failed(CurlFailure)
}

/// What went wrong below HTTP.
package struct CurlFailure: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case nameNotFound, unreachable, timedOut, tls, redirectLoop, unsupportedProtocol, cutShort, protocolFailure, other
        case blockedAddress(String)
    }

    /// libcurl's own code.
    package var code: Int32
    package var kind: Kind
    /// In plain words.
    package var message: String
}
