// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ProgressProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A Headway server, as an app or a script sees it: watch its transfers move, start some, steer them.
///
/// It holds no connection and may be used from anywhere. Everything goes over `URLSession`, the same on Apple systems and
/// on Linux.
///
/// ```swift
/// let headway = HeadwayClient(base: url)
/// let transfer = try await headway.start(download: "https://example.org/debian-12.iso")
/// for try await change in headway.updates(of: transfer.id) {
///     if case .moved(let transfer) = change, let percent = transfer.percent { print("\(percent) %") }
///     if case .ended(let transfer) = change { print(transfer.state.rawValue); break }
/// }
/// ```
public struct HeadwayClient: Hashable, Sendable {
    /// Where the server is; whatever path it has is kept, so a server behind a proxy's prefix works.
    public let base: URL

    /// Makes a client of the server at that address, `http://127.0.0.1:8080` for example; nothing is sent yet.
    public init(base: URL) {
        self.base = base
    }

    /// What becomes of the transfers that the filter lets through, from now on and for ever.
    ///
    /// The first change that matters is a whole table. A broken connection is made again by itself, and goes on where it
    /// was; the sequence ends when its task is cancelled, and throws only what another try can't mend.
    public func updates(_ filter: Command.Filter = Command.Filter()) -> TableChanges {
        TableChanges(frames: self.frames(filter))
    }

    /// What becomes of one transfer.
    public func updates(of id: TransferID) -> TableChanges {
        var filter = Command.Filter()
        filter.ids = [id]
        return self.updates(filter)
    }

    /// The frames themselves, for those who fold them on their own.
    public func frames(_ filter: Command.Filter = Command.Filter()) -> FrameStream {
        FrameStream(client: self, filter: filter)
    }

    /// The address in words.
    var address: String { self.base.absoluteString }

    /// A request for something under the base address.
    ///
    /// - Throws: `Problem` when the base address is not one of the web.
    func request(_ method: String, _ path: String, query: [(String, String)] = []) throws(Problem) -> URLRequest {
        var text = self.base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        text += "/api/v1/" + path
        for (index, (name, value)) in query.enumerated() {
            text += (index == 0 ? "?" : "&") + name + "=" + Self.escaped(value)
        }
        guard let scheme = self.base.scheme?.lowercased(), scheme == "http" || scheme == "https",
            self.base.host?.isEmpty == false, let url = URL(string: text)
        else { throw Problem(.unsupportedURL, "\(self.address) is not an http or https address") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        return request
    }

    /// Percent-encodes all but what no server reads in two ways.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return escaped
    }
}
