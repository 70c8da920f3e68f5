// SPDX-License-Identifier: Apache-2.0

/// What the curl thread does all day: take orders, let libcurl work, tell the ends, look for stalls.
///
/// Curl thread only.
final class CurlLoop {
    private let mailbox: CurlMailbox
    private let multi: CurlMulti
    private let settings: CurlSettings
    private let throttle = CurlThrottle()
    private var downloads: [DownloadHandle: CurlDownload] = [:]
    private let unsettled = Unsettled()
    private var lastCheck = SuspendingClock.now
    private var checkInterval = CurlLoop.longestInterval

    private static let longestInterval = Duration.seconds(1)

    init(mailbox: CurlMailbox, settings: CurlSettings) {
        self.mailbox = mailbox
        self.multi = mailbox.multi
        self.settings = settings
    }

    func run() {
        while true {
            let (orders, isClosed) = self.mailbox.take()
            orders.forEach(self.obey)
            guard !isClosed else { break }
            self.letGoOn()
            self.multi.perform()
            for download in self.unsettled.settle() where self.downloads[download.handle] === download {
                self.end(download, .refused)
            }
            while let (download, code) = self.multi.nextDone() {
                self.end(download, download.end(for: code))
            }
            self.checkForStalls()
            self.multi.poll(milliseconds: self.pollTime)
        }
        for download in Array(self.downloads.values) { self.end(download, .stopped) }
    }

    private func obey(_ order: CurlMailbox.Order) {
        switch order {
        case .start(let handle, let request, let receiver):
            if self.downloads.isEmpty { self.lastCheck = .now }
            do throws(CurlFailure) {
                let download = try CurlDownload(
                    handle,
                    request,
                    receiver: receiver,
                    settings: self.settings,
                    unsettled: self.unsettled
                )
                guard download.join(self.multi) else {
                    throw CurlFailure(code: 0, kind: .exhausted, message: "libcurl has no memory for another download")
                }
                self.downloads[handle] = download
                self.limit(download, to: request.maximumRate)
                self.checkInterval = min(self.checkInterval, max(request.stallTimeout / 8, .milliseconds(10)))
            } catch {
                receiver.ended(.failed(error))
            }
        case .stop(let handle):
            guard let download = self.downloads[handle] else { return }
            self.end(download, .stopped)
        case .resume(let handle):
            guard let download = self.downloads[handle], let end = download.resume() else { return }
            self.end(download, end)
        case .limit(let handle, let rate):
            if let download = self.downloads[handle] { self.limit(download, to: rate) }
        case .limitAll(let rate):
            self.throttle.limitAll(to: rate)
            self.downloads.values.forEach(self.limitsChanged)
        }
    }

    private func limit(_ download: CurlDownload, to rate: Int64?) {
        self.throttle.limit(download.handle, to: rate)
        self.limitsChanged(download)
    }

    /// What is not limited does not ask.
    private func limitsChanged(_ download: CurlDownload) {
        download.throttle = self.throttle.isLimited(download.handle) ? self.throttle : nil
    }

    /// Lets those go on who waited for their rate.
    private func letGoOn() {
        self.throttle.letGoOn { handle in
            guard let download = self.downloads[handle] else { return self.throttle.endTurn(of: handle) }
            if let end = download.resume() { self.end(download, end) }
            // What is sent is asked for only when libcurl works again; what came has been handed over by now.
            if !download.sends { self.throttle.endTurn(of: handle) }
        }
    }

    private func end(_ download: CurlDownload, _ end: DownloadEnd) {
        self.downloads[download.handle] = nil
        self.throttle.remove(download.handle)
        download.leave(self.multi)
        if self.downloads.isEmpty { self.checkInterval = Self.longestInterval }
        download.receiver.ended(end)
    }

    /// Time counts only as far as this thread was listening: a check that comes late because the machine or a receiver
    /// was busy adds at most two intervals to anybody's silence.
    private func checkForStalls() {
        let now = SuspendingClock.now
        let passed = now - self.lastCheck
        guard passed >= self.checkInterval, !self.downloads.isEmpty else { return }
        self.lastCheck = now
        let counted = min(passed, self.checkInterval * 2)
        for download in Array(self.downloads.values) {
            if let end = download.watch(counted) { self.end(download, end) }
        }
    }

    private var pollTime: Int32 {
        guard !self.downloads.isEmpty else { return 60_000 }
        let left = self.lastCheck + self.checkInterval - .now
        let (seconds, attoseconds) = max(left, .zero).components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1
        return Int32(min(milliseconds, self.throttle.milliseconds ?? milliseconds))
    }
}
