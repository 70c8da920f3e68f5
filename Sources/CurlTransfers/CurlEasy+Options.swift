// SPDX-License-Identifier: Apache-2.0
import CCurl

/// How every download is set up, and where libcurl enters Swift.
extension CurlEasy {
    /// Nil on success, else why libcurl does not take the request.
    mutating func configure(_ request: DownloadRequest, _ settings: CurlSettings) -> String? {
        // Without it a wrong "only http" would be the whole gate against file:, so its failure is fatal.
        if let words = self.set(CURLOPT_PROTOCOLS_STR, "http,https") { return words }
        if let words = self.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https") { return words }
        if let words = self.set(CURLOPT_URL, request.encodedURL) { return words }
        self.setHeaders(request.headerLines)
        self.set(CURLOPT_USERAGENT, settings.userAgent)

        self.set(CURLOPT_NOSIGNAL, 1)
        // A resolver that hangs must not hold up the thread when its download is taken away.
        self.set(CURLOPT_QUICK_EXIT, 1)
        self.set(CURLOPT_BUFFERSIZE, 256 * 1024)
        self.set(CURLOPT_TCP_KEEPALIVE, 1)
        self.set(CURLOPT_CONNECTTIMEOUT_MS, min(request.stallTimeout, .seconds(30)).wholeMilliseconds)
        // Proxies named in the environment would hide the address that is contacted.
        self.set(CURLOPT_PROXY, "")
        self.set(CURLOPT_NOPROXY, "*")

        self.set(CURLOPT_FOLLOWLOCATION, request.body == nil ? 1 : 0)
        self.set(CURLOPT_MAXREDIRS, 10)
        self.set(CURLOPT_UNRESTRICTED_AUTH, 0)
        self.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        self.set(CURLOPT_HTTP09_ALLOWED, 0)
        self.set(CURLOPT_FAILONERROR, 0)
        // Wire bytes are what is stored; a coding that comes unasked is the receiver's to tell.
        self.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        if request.offset > 0 { self.set(CURLOPT_RESUME_FROM_LARGE, offset: request.offset) }

        self.set(CURLOPT_SSL_VERIFYPEER, 1)
        self.set(CURLOPT_SSL_VERIFYHOST, 2)
        self.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = settings.certificateAuthorities, let words = self.set(CURLOPT_CAINFO, file) { return words }
        return nil
    }

    /// `context` is an unretained `CurlDownload` that outlives the handle's time in the multi handle.
    func setCallbacks(context: UnsafeMutableRawPointer) {
        unsafe headway_curl_set_pointer(self.pointer, CURLOPT_PRIVATE, context)
        unsafe headway_curl_set_write(self.pointer, CURLOPT_WRITEFUNCTION, takeBody)
        unsafe headway_curl_set_pointer(self.pointer, CURLOPT_WRITEDATA, context)
        unsafe headway_curl_set_write(self.pointer, CURLOPT_HEADERFUNCTION, takeHeaderLine)
        unsafe headway_curl_set_pointer(self.pointer, CURLOPT_HEADERDATA, context)
        unsafe headway_curl_set_opensocket(self.pointer, openSocket)
        unsafe headway_curl_set_pointer(self.pointer, CURLOPT_OPENSOCKETDATA, context)
        unsafe headway_curl_set_prerequest(self.pointer, beforeRequest)
        unsafe headway_curl_set_pointer(self.pointer, CURLOPT_PREREQDATA, context)
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = self.components
        return max(Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000), 1)
    }
}

private func takeBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let download = unsafe CurlDownload.of(context: context) else { return 0 }
    let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    switch unsafe download.body(piece) {
    case .taken: return size * count
    case .later: return headway_curl_write_pause
    case .stop: return failedWrite(size * count)
    }
}

private func takeHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let download = unsafe CurlDownload.of(context: context) else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe download.headerLine(line) ? size * count : failedWrite(size * count)
}

/// Any other number than the one offered makes libcurl give up; 0 would not when 0 bytes were offered.
private func failedWrite(_ offered: Int) -> Int {
    offered == 0 ? 1 : 0
}

private func openSocket(
    _ context: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let download = unsafe CurlDownload.of(context: context), let address = unsafe address else {
        return headway_curl_no_socket()
    }
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe Int(headway_curl_address(address, &bytes))
    guard download.mayContact(IPAddress(networkOrder: bytes.prefix(count))) else { return headway_curl_no_socket() }
    return unsafe headway_curl_open_socket(address)
}

private func beforeRequest(
    _ context: UnsafeMutableRawPointer?,
    _ remoteAddress: UnsafeMutablePointer<CChar>?,
    _ localAddress: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32,
    _ localPort: Int32
) -> Int32 {
    guard let download = unsafe CurlDownload.of(context: context) else { return CURL_PREREQFUNC_ABORT }
    download.connected()
    return CURL_PREREQFUNC_OK
}
