// SPDX-License-Identifier: Apache-2.0

import CLibWebSockets

// What libwebsockets calls, always on the loop thread. Each finds the loop, translates and delegates.

private func core(of wsi: OpaquePointer?) -> LoopCore? {
    guard let context = unsafe lws_get_context(wsi), let user = unsafe lws_context_user(context) else { return nil }
    return unsafe Unmanaged<LoopCore>.fromOpaque(user).takeUnretainedValue()
}

/// Browsers, scripts, everybody: HTTP and WebSocket.
func connectionCallback(
    wsi: OpaquePointer?,
    reason: lws_callback_reasons,
    user: UnsafeMutableRawPointer?,
    input: UnsafeMutableRawPointer?,
    length: Int
) -> Int32 {
    guard let wsi = unsafe wsi, let tag = unsafe lws_get_opaque_user_data(wsi), let core = unsafe core(of: wsi) else {
        return 0
    }
    let slot = UInt32(truncatingIfNeeded: Int(bitPattern: tag) - 1)
    let bytes = unsafe UnsafeRawBufferPointer(start: input, count: unsafe input == nil ? 0 : length)
    switch reason {
    case LWS_CALLBACK_RECEIVE: return unsafe core.received(slot, wsi, bytes)
    case LWS_CALLBACK_RECEIVE_PONG:
        core.heard(slot)
        return 0
    case LWS_CALLBACK_SERVER_WRITEABLE: return unsafe core.webSocketWriteable(slot, wsi)
    case LWS_CALLBACK_HTTP_WRITEABLE: return unsafe core.httpWriteable(slot, wsi)
    case LWS_CALLBACK_HTTP: return unsafe core.headArrived(slot, wsi)
    case LWS_CALLBACK_HTTP_BODY: return unsafe core.bodyArrived(slot, wsi, bytes)
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return unsafe core.bodyEnded(slot, wsi)
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return unsafe core.upgradeAsked(slot, wsi)
    case LWS_CALLBACK_ESTABLISHED: return core.webSocketOpened(slot)
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        core.peerCloses(slot)
        return 0
    case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLOSED_HTTP, LWS_CALLBACK_WSI_DESTROY:
        // Whichever comes first; the tag goes with it, so the others find nothing.
        unsafe lws_set_opaque_user_data(wsi, nil)
        core.connectionGone(slot)
        return 0
    default: return 0
    }
}

/// The mailbox has mail.
func wakeCallback(
    wsi: OpaquePointer?,
    reason: lws_callback_reasons,
    user: UnsafeMutableRawPointer?,
    input: UnsafeMutableRawPointer?,
    length: Int
) -> Int32 {
    guard reason == LWS_CALLBACK_RAW_RX_FILE else { return onlyFiles(reason) }
    unsafe core(of: wsi)?.runMail()
    return 0
}

/// A timer is due.
func timerCallback(
    wsi: OpaquePointer?,
    reason: lws_callback_reasons,
    user: UnsafeMutableRawPointer?,
    input: UnsafeMutableRawPointer?,
    length: Int
) -> Int32 {
    guard reason == LWS_CALLBACK_RAW_RX_FILE else { return onlyFiles(reason) }
    unsafe core(of: wsi)?.runTimers()
    return 0
}

/// A socket whose reading is off is ready for something.
func watchCallback(
    wsi: OpaquePointer?,
    reason: lws_callback_reasons,
    user: UnsafeMutableRawPointer?,
    input: UnsafeMutableRawPointer?,
    length: Int
) -> Int32 {
    guard reason == LWS_CALLBACK_RAW_RX_FILE else { return onlyFiles(reason) }
    unsafe core(of: wsi)?.runWatch()
    return 0
}

/// Somebody connects.
func listenerCallback(
    wsi: OpaquePointer?,
    reason: lws_callback_reasons,
    user: UnsafeMutableRawPointer?,
    input: UnsafeMutableRawPointer?,
    length: Int
) -> Int32 {
    guard reason == LWS_CALLBACK_RAW_RX_FILE else { return onlyFiles(reason) }
    guard let core = unsafe core(of: wsi), core.stop == nil else { return -1 }
    core.acceptAll()
    return 0
}

/// A client that gets itself bound to one of our own protocols is cut.
private func onlyFiles(_ reason: lws_callback_reasons) -> Int32 {
    switch reason {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION, LWS_CALLBACK_HTTP, LWS_CALLBACK_ESTABLISHED: -1
    default: 0
    }
}
