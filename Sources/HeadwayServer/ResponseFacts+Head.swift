// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferCore

extension ResponseFacts {
    /// What the judge wants to know of a head.
    init(_ head: ResponseHead, now: Timestamp) {
        self.init(
            status: head.status,
            contentLengths: head.values("content-length"),
            contentRange: head.values("content-range").first,
            etag: head.values("etag").first,
            lastModified: head.values("last-modified").first,
            date: head.values("date").first,
            contentDisposition: head.values("content-disposition").first,
            contentEncoding: head.values("content-encoding").first,
            transferEncoding: head.values("transfer-encoding").first,
            retryAfter: head.values("retry-after").first,
            reprDigests: head.values("repr-digest"),
            contentDigests: head.values("content-digest"),
            effectiveURL: head.effectiveURL,
            now: now
        )
    }
}
