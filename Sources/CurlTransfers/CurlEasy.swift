// SPDX-License-Identifier: Apache-2.0
import CCurl

/// Owner of one easy handle, its list of headers and its error text.
///
/// Curl thread only.
@safe
struct CurlEasy: ~Copyable {
    let pointer: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var lines: UnsafeMutablePointer<curl_slist>?
    private var form: OpaquePointer?

    /// Nil when there is no memory for it.
    init?() {
        guard let pointer = unsafe curl_easy_init() else { return nil }
        unsafe self.pointer = pointer
        unsafe self.errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe self.errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        unsafe self.lines = nil
        unsafe self.form = nil
        unsafe headway_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, self.errorText)
    }

    deinit {
        unsafe curl_easy_cleanup(self.pointer)
        unsafe curl_slist_free_all(self.lines)
        unsafe curl_mime_free(self.form)
        unsafe self.errorText.deallocate()
    }

    func set(_ option: CURLoption, _ value: Int) {
        unsafe headway_curl_set_long(self.pointer, option, value)
    }

    func set(_ option: CURLoption, offset value: Int64) {
        unsafe headway_curl_set_offset(self.pointer, option, curl_off_t(value))
    }

    /// libcurl keeps a copy.
    ///
    /// Nil on success, else the reason.
    @discardableResult
    func set(_ option: CURLoption, _ value: String) -> String? {
        let code = unsafe headway_curl_set_string(self.pointer, option, value)
        return code == CURLE_OK ? nil : Self.words(for: code)
    }

    mutating func setHeaders(_ lines: [String]) {
        for line in lines {
            // Null leaves the list as it was: out of memory, and the download goes on without this line.
            if let longer = unsafe curl_slist_append(self.lines, line) { unsafe self.lines = longer }
        }
        unsafe headway_curl_set_list(self.pointer, CURLOPT_HTTPHEADER, self.lines)
    }

    /// Makes an empty form, which belongs to this handle; false when there is no memory for it.
    mutating func makeForm() -> Bool {
        unsafe self.form = curl_mime_init(self.pointer)
        return unsafe self.form != nil
    }

    /// Another part of the form; nil when there is no memory for it.
    func addPart(named name: String) -> OpaquePointer? {
        guard let part = unsafe curl_mime_addpart(self.form), unsafe curl_mime_name(part, name) == CURLE_OK else {
            return nil
        }
        return unsafe part
    }

    func sendForm() {
        unsafe headway_curl_set_pointer(self.pointer, CURLOPT_MIMEPOST, UnsafeMutableRawPointer(self.form))
    }

    /// Goes on with what a callback put off; it may be called from within.
    func goOn() -> CURLcode {
        unsafe curl_easy_pause(self.pointer, CURLPAUSE_CONT)
    }

    /// The URL that answers at the moment, after redirects.
    var effectiveURL: String {
        var text: UnsafePointer<CChar>?
        guard unsafe headway_curl_get_string(self.pointer, CURLINFO_EFFECTIVE_URL, &text) == CURLE_OK,
            let text = unsafe text
        else { return "" }
        return unsafe String(cString: text)
    }

    /// libcurl's own words for what went wrong.
    func words(for code: CURLcode) -> String {
        let words = unsafe String(cString: self.errorText)
        return words.isEmpty ? Self.words(for: code) : words
    }

    private static func words(for code: CURLcode) -> String {
        guard let words = unsafe curl_easy_strerror(code) else { return "libcurl's error \(code.rawValue)" }
        return unsafe String(cString: words)
    }
}
