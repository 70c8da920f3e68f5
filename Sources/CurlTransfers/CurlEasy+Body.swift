// SPDX-License-Identifier: Apache-2.0
import CCurl

/// How a request that sends something is set up, and where libcurl asks for its bytes.
extension CurlEasy {
    /// False when there is no memory for it.
    ///
    /// `context` is an unretained `CurlDownload` that outlives the handle's time in the multi handle.
    mutating func setBody(_ body: RequestBody, context: UnsafeMutableRawPointer) -> Bool {
        self.set(CURLOPT_CUSTOMREQUEST, body.method)
        if !body.isRepeatable { self.set(CURLOPT_FRESH_CONNECT, 1) }
        switch body.shape {
        case .raw:
            self.set(CURLOPT_UPLOAD, 1)
            self.set(CURLOPT_INFILESIZE_LARGE, offset: body.length ?? -1)
            unsafe headway_curl_set_read(self.pointer, takeBytes)
            unsafe headway_curl_set_pointer(self.pointer, CURLOPT_READDATA, context)
            unsafe headway_curl_set_seek(self.pointer, takeSeek)
            unsafe headway_curl_set_pointer(self.pointer, CURLOPT_SEEKDATA, context)
            return true
        case .form(let field, let fileName, let fields):
            guard self.makeForm() else { return false }
            for field in fields {
                guard let part = unsafe self.addPart(named: field.name),
                    unsafe curl_mime_data(part, field.value, field.value.utf8.count) == CURLE_OK
                else { return false }
            }
            guard let part = unsafe self.addPart(named: field),
                unsafe curl_mime_filename(part, fileName) == CURLE_OK,
                unsafe curl_mime_type(part, body.contentType) == CURLE_OK,
                unsafe curl_mime_data_cb(part, curl_off_t(body.length ?? -1), takeBytes, takeSeek, nil, context)
                    == CURLE_OK
            else { return false }
            self.sendForm()
            return true
        }
    }
}

private func takeBytes(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let download = unsafe CurlDownload.of(context: context) else { return headway_curl_read_abort }
    switch unsafe download.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) {
    case .bytes(let count): return count
    case .end: return 0
    case .later: return headway_curl_read_pause
    case .failed: return headway_curl_read_abort
    }
}

private func takeSeek(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    guard origin == SEEK_SET, let download = unsafe CurlDownload.of(context: context) else {
        return CURL_SEEKFUNC_CANTSEEK
    }
    return download.resend(from: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}
