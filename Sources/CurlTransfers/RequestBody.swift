// SPDX-License-Identifier: Apache-2.0

/// What a request sends: the bytes of one file, alone or as the file of a form.
package struct RequestBody: Sendable {
    /// How the bytes are wrapped.
    package enum Shape: Sendable, Equatable {
        /// Not at all.
        case raw
        /// As multipart/form-data (RFC 7578): further fields in their order, and then the file.
        case form(field: String, fileName: String, fields: [Field])
    }

    /// One field of a form that is no file.
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// `POST`, `PUT`, `PATCH`.
    package var method: String
    package var shape: Shape
    /// The media type of the file.
    package var contentType: String
    /// Bytes of the file; nil when only its end will tell: then it is sent in chunks, which HTTP/1.0 can't take.
    package var length: Int64?
    /// Whether the source gives the same bytes again: what it can't must not run into a connection that is dead.
    package var isRepeatable: Bool
    package var source: any RequestBodySource
    /// How long the answer may take once everything is sent.
    package var answerTimeout: Duration

    package init(
        method: String,
        shape: Shape,
        contentType: String,
        length: Int64?,
        isRepeatable: Bool = true,
        source: any RequestBodySource,
        answerTimeout: Duration = .seconds(300)
    ) {
        self.method = method
        self.shape = shape
        self.contentType = contentType
        self.length = length
        self.isRepeatable = isRepeatable
        self.source = source
        self.answerTimeout = answerTimeout
    }
}

/// Where the bytes that are sent come from; every call is made on the curl thread, and holds up everything else there.
package protocol RequestBodySource: AnyObject, Sendable {
    /// Fills the buffer from where reading stands.
    func read(into bytes: UnsafeMutableRawBufferPointer) -> Reading
    /// Everything from there on is sent again; false when that can't be.
    func seek(to offset: Int64) -> Bool
}

/// What a source gives.
package enum Reading: Sendable, Equatable {
    /// So many bytes, more than none.
    case bytes(Int)
    /// There are no more.
    case end
    /// There are none yet: it is asked again after `CurlEngine.resume(_:)`. Until then the silence is nobody's fault.
    case later
    /// There will be none; the source knows why, and the request is given up.
    case failed
}
