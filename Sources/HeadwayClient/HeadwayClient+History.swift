// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ProgressProtocol

extension HeadwayClient {
    /// Which transfers are wanted: values of one list are OR-ed, lists are AND-ed, an empty one lets everything through.
    public struct ListQuery: Hashable, Sendable {
        /// States, `failed` for example.
        public var states: [String] = []
        /// Kinds, `download` for example.
        public var kinds: [String] = []
        /// Groups.
        public var groups: [String] = []
        /// What has to be in the name or the link.
        public var text: String?
        /// At most so many, from 1 to 1000.
        public var limit = 100
        /// `next` of the page before.
        public var after: String?

        /// Everything.
        public init() {}
    }

    /// Some of the history, newest first.
    public struct Page: Hashable, Sendable {
        /// The transfers as they are now.
        public var transfers: [Transfer]
        /// What asks for the page after this one; nil at the end.
        public var next: String?
    }

    /// The transfers of the server, those of long ago included, newest first.
    ///
    /// - Throws: `Problem` that says why not.
    public func list(_ query: ListQuery = ListQuery()) async throws(Problem) -> Page {
        var items = query.states.map { ("state", $0) }
        items += query.kinds.map { ("kind", $0) }
        items += query.groups.map { ("group", $0) }
        if let text = query.text { items.append(("q", text)) }
        if let after = query.after { items.append(("after", after)) }
        items.append(("limit", String(query.limit)))
        let body = try await self.answer(to: try self.request("GET", "transfers", query: items))
        do {
            let json = try JSONValue(body)
            let transfers = try (json["transfers"]?.array ?? []).map { try FrameDecoder.transfer($0) }
            return Page(transfers: transfers, next: json["next"]?.string)
        } catch {
            throw Problem(.remoteProtocol, "\(self.address) answered what is no list of transfers: \(error)")
        }
    }
}
