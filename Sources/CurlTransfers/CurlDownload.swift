// SPDX-License-Identifier: Apache-2.0
import CCurl

/// One running download: the context of libcurl's callbacks.
///
/// Curl thread only.
final class CurlDownload {
    let handle: DownloadHandle
    let receiver: any DownloadReceiver
    private let request: DownloadRequest
    private let unsettled: Unsettled
    private let policy: AddressPolicy
    private var easy: CurlEasy
    private var head = HeadCollector()
    private var isHeadTold = false
    private var progress: StallWatch
    /// Decided by us before libcurl heard of it; goes before libcurl's code.
    private var verdict: DownloadEnd?
    private var hop = CurlHop()
    /// Bytes of the file that libcurl has taken.
    private var sent: Int64 = 0
    /// Whether our side put it off, as receiver or as source.
    private var isWaiting = false
    /// What it has to ask before each piece; nil when nothing limits its rate.
    var throttle: CurlThrottle?
    /// Whether its rate was limited since somebody watched last: what then did not come is nobody's fault.
    private var wasThrottled = false
    /// The links that were left by a redirect.
    private var redirects: [String] = []

    init(
        _ handle: DownloadHandle,
        _ request: DownloadRequest,
        receiver: any DownloadReceiver,
        settings: CurlSettings,
        unsettled: Unsettled
    ) throws(CurlFailure) {
        if let refusal = request.refusal { throw refusal }
        guard var easy = CurlEasy() else {
            throw CurlFailure(code: 0, kind: .exhausted, message: "libcurl has no memory for another download")
        }
        if let words = easy.configure(request, settings) {
            throw CurlFailure(code: 0, kind: .other, message: Secrets.hide(in: words, url: request.url))
        }
        self.handle = handle
        self.receiver = receiver
        self.request = request
        self.unsettled = unsettled
        self.policy = settings.policy
        self.easy = easy
        self.progress = StallWatch(request)
    }

    /// The engine keeps this object until `leave`, so libcurl may hold it unretained.
    func join(_ multi: CurlMulti) -> Bool {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe self.easy.setCallbacks(context: context)
        if let body = self.request.body, unsafe !self.easy.setBody(body, context: context) { return false }
        return multi.add(self.easy)
    }

    func leave(_ multi: CurlMulti) {
        multi.remove(self.easy)
    }

    static func of(easy: UnsafeMutableRawPointer) -> CurlDownload? {
        var context: UnsafeMutableRawPointer?
        guard unsafe headway_curl_get_private(easy, &context) == CURLE_OK else { return nil }
        return unsafe Self.of(context: context)
    }

    static func of(context: UnsafeMutableRawPointer?) -> CurlDownload? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<CurlDownload>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: - What libcurl tells

    /// Says whether this address may be contacted.
    func mayContact(_ address: IPAddress?) -> Bool {
        self.hop.mayContact(address, by: self.policy)
    }

    /// There is a connection, and the request goes out next.
    func connected() {
        self.hop.connected()
        self.progress.connected()
        if let body = self.request.body, body.length == 0 { self.progress.sentAll(answerWithin: body.answerTimeout) }
    }

    /// The next bytes of the file that is sent.
    func send(into bytes: UnsafeMutableRawBufferPointer) -> Reading {
        guard let body = self.request.body else { return .failed }
        if let throttle, !self.mayMove(throttle) { return .later }
        // A limited one sends small pieces.
        let most = self.throttle == nil ? bytes.count : min(bytes.count, Int(RateBucket.largestPiece))
        let reading = unsafe body.source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<most]))
        switch reading {
        case .bytes(let count):
            self.sent += Int64(count)
            self.throttle?.moved(self.handle, count)
            self.progress.moved(count)
            if self.sent == body.length { self.progress.sentAll(answerWithin: body.answerTimeout) }
        case .end: self.progress.sentAll(answerWithin: body.answerTimeout)
        case .later: self.isWaiting = true
        case .failed: break
        }
        if reading == .later { self.throttle?.endTurn(of: self.handle) }
        return reading
    }

    var sends: Bool { self.request.body != nil }

    private func mayMove(_ throttle: CurlThrottle) -> Bool {
        guard !throttle.mayMove(self.handle) else { return true }
        self.isWaiting = true
        self.wasThrottled = true
        return false
    }

    /// Something has to be sent again.
    func resend(from offset: Int64) -> Bool {
        guard let body = self.request.body, body.source.seek(to: offset) else { return false }
        self.sent = offset
        return true
    }

    /// One line of a head, or of trailers.
    ///
    /// False = give up.
    func headerLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !self.isHeadTold else { return true }
        switch unsafe self.head.add(line) {
        case .more, .interim:
            return true
        case .redirect where self.request.body != nil:
            return self.tellHead()
        case .redirect:
            self.hop.redirected()
            self.redirects.append(Secrets.withoutUser(self.easy.effectiveURL))
            self.progress.redirected()
            return true
        case .final:
            return self.tellHead()
        case .tooLarge:
            let words = "the answer's head is larger than \(HeadCollector.limit) bytes"
            self.verdict = .failed(CurlFailure(code: 0, kind: .protocolFailure, message: words))
            return false
        }
    }

    /// A piece of the body.
    func body(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        // A redirect that libcurl does not follow after all is the final answer.
        guard self.isHeadTold || self.tellHead() else { return .stop }
        if let throttle, !self.sends, !self.mayMove(throttle) { return .later }
        self.unsettled.turn(to: self)
        let reply = unsafe self.receiver.body(bytes)
        switch reply {
        case .taken:
            self.progress.moved(bytes.count)
            if !self.sends { self.throttle?.moved(self.handle, bytes.count) }
        case .later: self.isWaiting = true
        case .stop: self.verdict = .refused
        }
        return reply
    }

    private func tellHead() -> Bool {
        self.isHeadTold = true
        self.hop.answered()
        self.progress.headArrived()
        let response = self.head.response(from: Secrets.withoutUser(self.easy.effectiveURL))
        let wanted = self.receiver.head(response)
        // Only a part may be appended to what is there. (Of a 200 that is just as long as the offset libcurl says that
        // all is well, and of an error it would hand on the page; of a 416 it takes no body itself.)
        let isPart = self.request.offset == 0 || response.status == 206 || response.status == 416
        guard !wanted || !isPart else { return true }
        self.verdict = .refused
        return false
    }

    // MARK: - What the loop asks

    /// Goes on with what was put off.
    ///
    /// Not nil when that ends it.
    func resume() -> DownloadEnd? {
        guard self.isWaiting else { return nil }
        self.isWaiting = false
        let code = self.easy.goOn()
        return code == CURLE_OK ? nil : self.end(for: code)
    }

    /// Lets the receiver take what it kept back.
    ///
    /// False when that ends it.
    func settle() -> Bool {
        if !self.receiver.settle() { self.verdict = .refused }
        return self.verdict == nil
    }

    /// `time` has passed since the last question.
    ///
    /// Not nil when the download has to end.
    func watch(_ time: Duration) -> DownloadEnd? {
        guard !self.isWaiting, !self.wasThrottled else {
            self.wasThrottled = false
            self.progress.waited()
            return nil
        }
        return self.progress.pass(time)
    }

    /// What libcurl's code at the end of a transfer means.
    func end(for code: CURLcode) -> DownloadEnd {
        if let verdict { return verdict }
        let end = self.plainEnd(for: code)
        guard case .failed(var failure) = end else { return end }
        failure.redirects = self.redirects
        return .failed(failure)
    }

    private func plainEnd(for code: CURLcode) -> DownloadEnd {
        if code == CURLE_OK {
            guard !self.isHeadTold else { return .finished }
            guard self.head.isComplete else {
                return .failed(CurlFailure(code: 0, kind: .protocolFailure, message: "there was no answer"))
            }
            return self.tellHead() ? .finished : .refused
        }
        // The answer to a resume begins elsewhere; the head is told already.
        if code == CURLE_RANGE_ERROR, self.isHeadTold { return .refused }
        return .failed(
            self.hop.failure(for: code) { Secrets.hide(in: self.easy.words(for: code), url: self.request.url) }
        )
    }
}
