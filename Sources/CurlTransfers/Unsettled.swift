// SPDX-License-Identifier: Apache-2.0

/// Which receiver may be keeping pieces back: at most one, that of the download that libcurl served last.
///
/// libcurl serves one after the other and hands on 16 KiB at a time; so all that came at once goes on at once, and however
/// many downloads there are, the pieces of one are kept. Curl thread only.
final class Unsettled {
    private var current: CurlDownload?
    /// Those whose receivers want no more; libcurl can't be told so in the middle of its work.
    private var refused: [CurlDownload] = []

    /// The next pieces are another download's.
    func turn(to download: CurlDownload) {
        guard self.current !== download else { return }
        self.settleCurrent()
        self.current = download
    }

    /// When libcurl has done what could be done now; returns those that have to end.
    func settle() -> [CurlDownload] {
        self.settleCurrent()
        guard !self.refused.isEmpty else { return [] }
        defer { self.refused = [] }
        return self.refused
    }

    private func settleCurrent() {
        guard let current else { return }
        self.current = nil
        if !current.settle() { self.refused.append(current) }
    }
}
