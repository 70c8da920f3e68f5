// SPDX-License-Identifier: Apache-2.0

import CCurl

/// One download inside libcurl: its handle, and what its callbacks need. Only on the curl thread.
@safe
final class EasyHandle {
    let number: UInt64
    let receiver: any DownloadReceiver
    let stallTimeout: Duration
    private(set) var head = HeadReader()
    /// Whether the receiver has been given the head, and what it said.
    private(set) var takesBody: Bool?
    /// Why an address may not be contacted, once one was refused.
    fileprivate(set) var blocked: String?
    /// When the last byte came, of the head or the body.
    private(set) var movedAt = ContinuousClock.now
    /// Whether `stop` was asked for.
    var isStopped = false

    private let easy: UnsafeMutableRawPointer
    private let policy: AddressPolicy
    private let errorText: UnsafeMutablePointer<CChar>
    private var list: UnsafeMutablePointer<curl_slist>?

    init?(_ request: DownloadRequest, number: UInt64, receiver: any DownloadReceiver, engine: CurlEngine.Settings) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe self.easy = easy
        self.number = number
        self.receiver = receiver
        self.stallTimeout = request.stallTimeout
        self.policy = engine.policy
        unsafe self.errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe self.errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        self.configure(request, engine)
    }

    deinit {
        unsafe curl_easy_cleanup(self.easy)
        unsafe curl_slist_free_all(self.list)
        unsafe self.errorText.deallocate()
    }

    /// libcurl's own handle, for the multi handle.
    var raw: UnsafeMutableRawPointer { unsafe self.easy }

    /// What libcurl says of an error, in its own words.
    var words: String { unsafe String(cString: self.errorText) }

    private func configure(_ request: DownloadRequest, _ engine: CurlEngine.Settings) {
        self.set(CURLOPT_URL, request.url.replacing(" ", with: "%20"))
        self.set(CURLOPT_PROTOCOLS_STR, "http,https")
        self.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        self.set(CURLOPT_FOLLOWLOCATION, 1)
        self.set(CURLOPT_MAXREDIRS, 10)
        // A proxy of the environment would be the address that is judged, and the true one would not.
        self.set(CURLOPT_PROXY, "")
        self.set(CURLOPT_NOPROXY, "*")
        self.set(CURLOPT_USERAGENT, engine.userAgent)
        self.set(CURLOPT_NOSIGNAL, 1)
        self.set(CURLOPT_BUFFERSIZE, 262_144)
        self.set(CURLOPT_CONNECTTIMEOUT, 30)
        self.set(CURLOPT_TCP_KEEPALIVE, 1)
        self.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        self.set(CURLOPT_HTTP09_ALLOWED, 0)
        self.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        self.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if let file = engine.certificateAuthorities { self.set(CURLOPT_CAINFO, file) }
        if request.offset > 0 {
            _ = unsafe headway_curl_set_offset(self.easy, CURLOPT_RESUME_FROM_LARGE, curl_off_t(request.offset))
        }
        var lines = ["Accept-Encoding: identity"]
        if request.offset > 0, let validator = request.ifRange { lines.append("If-Range: \(validator)") }
        lines += request.headers.map { "\($0.name): \($0.value)" }
        for line in lines where line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            unsafe self.list = curl_slist_append(self.list, line)
        }
        _ = unsafe headway_curl_set_pointer(self.easy, CURLOPT_HTTPHEADER, self.list)
        _ = unsafe headway_curl_set_pointer(self.easy, CURLOPT_ERRORBUFFER, self.errorText)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe headway_curl_set_pointer(self.easy, CURLOPT_HEADERDATA, context)
        _ = unsafe headway_curl_set_pointer(self.easy, CURLOPT_WRITEDATA, context)
        _ = unsafe headway_curl_set_pointer(self.easy, CURLOPT_OPENSOCKETDATA, context)
        _ = unsafe headway_curl_set_data(self.easy, CURLOPT_HEADERFUNCTION, takeHeaderLine)
        _ = unsafe headway_curl_set_data(self.easy, CURLOPT_WRITEFUNCTION, takeBody)
        _ = unsafe headway_curl_set_opener(self.easy, openSocket)
    }

    private func set(_ option: CURLoption, _ value: Int) {
        _ = unsafe headway_curl_set_long(self.easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        _ = unsafe headway_curl_set_string(self.easy, option, value)
    }

    // MARK: - What libcurl calls

    fileprivate func headerLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        self.movedAt = .now
        guard unsafe self.head.take(bytes) else { return false }
        // The final head is told at once, for a body may be long in coming; that of a redirect is none.
        if self.head.isComplete, !self.isRedirect { self.tellHead() }
        return true
    }

    fileprivate func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        self.movedAt = .now
        self.tellHead()
        guard self.takesBody == true else { return false }
        return unsafe self.receiver.body(bytes)
    }

    fileprivate func judge(_ bytes: [UInt8]) -> Bool {
        guard let address = IPAddress(bytes: bytes) else {
            self.blocked = "only internet addresses may be contacted"
            return false
        }
        guard case .blocked(let reason) = self.policy.judge(address) else { return true }
        self.blocked = reason
        return false
    }

    /// Gives the receiver the head, once; also where libcurl ended before a body came.
    func tellHead() {
        guard self.takesBody == nil, self.head.isComplete else { return }
        var url: UnsafeMutablePointer<CChar>?
        _ = unsafe headway_curl_get_string(self.easy, CURLINFO_EFFECTIVE_URL, &url)
        let effective = unsafe url.map { unsafe String(cString: $0) } ?? ""
        self.takesBody = self.receiver.head(
            ResponseHead(status: self.head.status, effectiveURL: effective, fields: self.head.fields)
        )
    }

    private var isRedirect: Bool {
        (300..<400).contains(self.head.status) && self.head.fields.contains { $0.name == "location" }
    }
}

private func takeHeaderLine(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?) -> Int {
    guard let context = unsafe context else { return 0 }
    let handle = unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    return unsafe handle.headerLine(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

private func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?) -> Int {
    guard let context = unsafe context else { return 0 }
    let handle = unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    return unsafe handle.body(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

private func openSocket(_ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
    guard let context = unsafe context, let address = unsafe address else { return CURL_SOCKET_BAD }
    let handle = unsafe Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe headway_curl_address_bytes(address, &bytes)
    guard handle.judge(Array(bytes[..<Int(count)])) else { return CURL_SOCKET_BAD }
    return unsafe headway_curl_open(address)
}
