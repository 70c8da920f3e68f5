// SPDX-License-Identifier: Apache-2.0

extension Command {
    /// One source for several endpoints: a push for each, all in one group.
    public struct Pushes: Hashable, Sendable {
        /// At most so many.
        public static let maximumTargets = 32

        /// The pushes, which have their source and their group in common; never empty.
        public var targets: [Push]
        /// The `Idempotency-Key` of the order.
        public var key: String?

        /// Makes the order to send one thing to several endpoints; the first one's source, group and keeping count for
        /// all.
        public init(_ first: Push, _ others: [Push], key: String? = nil) {
            self.key = key
            self.targets = [first] + others
            for index in self.targets.indices {
                self.targets[index].source = first.source
                self.targets[index].keeps = first.keeps
                self.targets[index].group = first.group
            }
        }

        var source: Push.Source { self.targets[0].source }
        var keeps: Bool { self.targets[0].keeps }
        var group: String? { self.targets[0].group }
    }

    /// Reads a push, or several that `to` asks for.
    static func push(_ json: JSONValue) throws(Problem) -> Command {
        guard let to = json["to"], !to.isNull else { return .push(try Self.onePush(json)) }
        guard let targets = to.array, case .object(var shared) = json else {
            throw .invalid("\"to\" has to be a list of targets, each an object with a \"url\", or a link")
        }
        guard (1...Pushes.maximumTargets).contains(targets.count) else {
            throw .invalid("\"to\" has \(targets.count) targets, and 1 to \(Pushes.maximumTargets) are possible")
        }
        guard shared["url"] == nil else { throw .invalid("\"url\" and \"to\" exclude each other") }
        shared["to"] = nil
        var pushes: [Push] = []
        for (index, target) in targets.enumerated() {
            do {
                pushes.append(try Self.push(to: target, shared))
            } catch {
                var problem = error
                problem.detail = "target \(index + 1) of \"to\": " + problem.detail
                throw problem
            }
        }
        return .pushes(Pushes(pushes[0], Array(pushes.dropFirst()), key: try json.text("key", limit: 256)))
    }

    /// What stands beside `to` holds for each target that does not say otherwise.
    private static func push(to target: JSONValue, _ shared: [String: JSONValue]) throws(Problem) -> Push {
        var members = shared
        switch target {
        case .string: members["url"] = target
        case .object(let own):
            for (name, value) in own {
                guard !["file", "from", "keep", "group", "key", "kind", "op", "ref", "to"].contains(name) else {
                    throw .invalid("\"\(name)\" belongs beside \"to\", not into it")
                }
                members[name] = value
            }
        default: throw .invalid("it has to be an object with a \"url\", or a link")
        }
        members["key"] = nil
        return try Self.onePush(.object(members))
    }
}
