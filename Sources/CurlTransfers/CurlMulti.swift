// SPDX-License-Identifier: Apache-2.0
import CCurl

/// Owner of libcurl's multi handle.
// @unchecked Sendable: all but `wakeUp()`, which libcurl allows anywhere, is called on the curl thread alone.
@safe
final class CurlMulti: @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer

    /// Also prepares libcurl itself, once in a process.
    init() {
        guard Self.isReady, let pointer = unsafe curl_multi_init() else {
            preconditionFailure("libcurl could not be started: out of memory")
        }
        unsafe self.pointer = pointer
        // Idle connections kept for the next download; the default grows with the number of downloads.
        unsafe headway_curl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, 32)
    }

    deinit {
        unsafe curl_multi_cleanup(self.pointer)
    }

    private static let isReady = headway_curl_global_init() == CURLE_OK

    func wakeUp() {
        unsafe curl_multi_wakeup(self.pointer)
    }

    func add(_ easy: borrowing CurlEasy) -> Bool {
        unsafe curl_multi_add_handle(self.pointer, easy.pointer) == CURLM_OK
    }

    func remove(_ easy: borrowing CurlEasy) {
        unsafe curl_multi_remove_handle(self.pointer, easy.pointer)
    }

    func perform() {
        var running: Int32 = 0
        unsafe curl_multi_perform(self.pointer, &running)
    }

    func poll(milliseconds: Int32) {
        unsafe curl_multi_poll(self.pointer, nil, 0, milliseconds, nil)
    }

    /// The next transfer that libcurl is through with, until nil.
    func nextDone() -> (download: CurlDownload, code: CURLcode)? {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(self.pointer, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else {
                continue
            }
            let code = unsafe message.pointee.data.result
            guard let download = unsafe CurlDownload.of(easy: easy) else { continue }
            return (download, code)
        }
        return nil
    }
}
