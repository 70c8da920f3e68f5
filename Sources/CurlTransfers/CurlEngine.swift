// SPDX-License-Identifier: Apache-2.0

import CCurl
import Foundation
import Synchronization

/// The one thread that runs libcurl's multi handle; `curl_easy_*` is called nowhere else.
///
/// Commands come through a mailbox and `curl_multi_wakeup`; what happens is told to receivers on this thread.
@safe
package final class CurlEngine: Sendable {
    struct Settings: Sendable {
        let policy: AddressPolicy
        let userAgent: String
        let certificateAuthorities: String?
    }

    private enum Command: Sendable {
        case start(UInt64, DownloadRequest, any DownloadReceiver)
        case stop(UInt64)
    }

    private struct Mailbox: Sendable {
        var commands: [Command] = []
        var isShutDown = false
        var isDone = false
    }

    private let settings: Settings
    private let mailbox = Mutex(Mailbox())
    private let numbers = Atomic<UInt64>(0)
    private let done = DispatchSemaphore(value: 0)
    // libcurl allows curl_multi_wakeup from any thread; all else is done by ours.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    /// Whether libcurl is set up; a process does that once.
    private static let isReady = headway_curl_global_init() == CURLE_OK

    package init(policy: AddressPolicy, userAgent: String, certificateAuthorities: String?) {
        precondition(Self.isReady, "libcurl can't be initialised")
        guard let multi = unsafe curl_multi_init() else { preconditionFailure("libcurl has no memory for a multi handle") }
        unsafe self.multi = multi
        self.settings = Settings(
            policy: policy,
            userAgent: userAgent,
            certificateAuthorities: certificateAuthorities
        )
        let thread = Thread { [self] in self.run() }
        thread.name = "curl"
        thread.start()
    }

    /// Starts a download; its receiver hears of it, and of its end exactly once.
    package func start(_ request: DownloadRequest, receiver: any DownloadReceiver) -> DownloadHandle {
        let number = self.numbers.add(1, ordering: .relaxed).newValue
        self.send(.start(number, request, receiver))
        return DownloadHandle(number: number)
    }

    /// Stops a download; one that has ended by then is not missed.
    package func stop(_ handle: DownloadHandle) {
        self.send(.stop(handle.number))
    }

    /// Stops everything, and returns when the thread has ended.
    package func shutdown() {
        self.mailbox.withLock { $0.isShutDown = true }
        unsafe curl_multi_wakeup(self.multi)
        self.done.wait()
    }

    private func send(_ command: Command) {
        let isLate = self.mailbox.withLock { mailbox in
            if !mailbox.isDone { mailbox.commands.append(command) }
            return mailbox.isDone
        }
        if isLate {
            if case .start(_, _, let receiver) = command { receiver.ended(.stopped) }
            return
        }
        unsafe curl_multi_wakeup(self.multi)
    }

    // MARK: - The thread

    private func run() {
        var running: [UInt64: EasyHandle] = [:]
        var byHandle: [UnsafeMutableRawPointer: UInt64] = unsafe [:]
        var isShutDown = false
        var lastCheck = ContinuousClock.now
        while !isShutDown {
            let (commands, ends) = self.mailbox.withLock { mailbox in
                defer { mailbox.commands = [] }
                return (mailbox.commands, mailbox.isShutDown)
            }
            isShutDown = ends
            for command in commands { unsafe self.obey(command, &running, &byHandle) }
            var active: Int32 = 0
            unsafe curl_multi_perform(self.multi, &active)
            unsafe self.collect(&running, &byHandle)
            let now = ContinuousClock.now
            if now - lastCheck > .milliseconds(200) {
                lastCheck = now
                for handle in Array(running.values) where now - handle.movedAt > handle.stallTimeout {
                    unsafe self.remove(handle, .stalled(after: handle.stallTimeout), &running, &byHandle)
                }
            }
            let wait: Int32 = running.isEmpty ? 60_000 : 250
            if !isShutDown { unsafe curl_multi_poll(self.multi, nil, 0, wait, nil) }
        }
        for handle in Array(running.values) { unsafe self.remove(handle, .stopped, &running, &byHandle) }
        let late = self.mailbox.withLock { mailbox in
            mailbox.isDone = true
            defer { mailbox.commands = [] }
            return mailbox.commands
        }
        for case .start(_, _, let receiver) in late { receiver.ended(.stopped) }
        unsafe curl_multi_cleanup(self.multi)
        self.done.signal()
    }

    private func obey(
        _ command: Command,
        _ running: inout [UInt64: EasyHandle],
        _ byHandle: inout [UnsafeMutableRawPointer: UInt64]
    ) {
        switch command {
        case .start(let number, let request, let receiver):
            guard let handle = EasyHandle(request, number: number, receiver: receiver, engine: self.settings) else {
                return receiver.ended(.failed(CurlFailure(code: CURLE_OUT_OF_MEMORY, words: "")))
            }
            running[number] = handle
            unsafe byHandle[handle.raw] = number
            unsafe curl_multi_add_handle(self.multi, handle.raw)
        case .stop(let number):
            guard let handle = running[number] else { return }
            unsafe self.remove(handle, .stopped, &running, &byHandle)
        }
    }

    private func collect(
        _ running: inout [UInt64: EasyHandle],
        _ byHandle: inout [UnsafeMutableRawPointer: UInt64]
    ) {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(self.multi, &left) {
            guard unsafe headway_curl_is_done(message) != 0, let raw = unsafe headway_curl_message_handle(message),
                let handle = unsafe byHandle[raw].flatMap({ running[$0] })
            else { continue }
            let result = unsafe headway_curl_message_result(message)
            unsafe self.remove(handle, Self.end(of: handle, result), &running, &byHandle)
        }
    }

    private static func end(of handle: EasyHandle, _ result: CURLcode) -> DownloadEnd {
        // A body that never came still has a head; and libcurl refuses a 200 to a range by itself: the receiver decides.
        handle.tellHead()
        if handle.takesBody == false { return .refused }
        switch result {
        case CURLE_OK: return .finished
        case CURLE_WRITE_ERROR where handle.takesBody == true: return .refused
        case CURLE_WRITE_ERROR:
            return .failed(CurlFailure(code: 23, kind: .protocolFailure, message: "The head of the answer is over 64 KiB"))
        default:
            if let reason = handle.blocked, result == CURLE_COULDNT_CONNECT {
                return .failed(CurlFailure(code: 7, kind: .blockedAddress(reason), message: reason))
            }
            return .failed(CurlFailure(code: result, words: handle.words))
        }
    }

    private func remove(
        _ handle: EasyHandle,
        _ end: DownloadEnd,
        _ running: inout [UInt64: EasyHandle],
        _ byHandle: inout [UnsafeMutableRawPointer: UInt64]
    ) {
        unsafe curl_multi_remove_handle(self.multi, handle.raw)
        running[handle.number] = nil
        unsafe byHandle[handle.raw] = nil
        handle.receiver.ended(end)
    }
}
