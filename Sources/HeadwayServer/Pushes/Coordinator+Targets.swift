// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore

/// Several pushes from one order.
extension Coordinator {
    /// A push for each target, all in one group; and behind them the download, where what is sent is kept as well.
    ///
    /// - Throws: `Problem`: of several targets, all are judged before anything is made.
    func makePushes(
        _ targets: [Command.Push],
        _ command: Command,
        key: String?
    ) async throws(Problem) -> [Transfer] {
        let moment = self.clock.now()
        var targets = targets
        let kept = try self.keptSource(of: targets, at: moment)
        let group = targets.first?.group ?? self.groupName(of: targets, at: moment)
        var jobs: [Job] = []
        for index in targets.indices {
            targets[index].group = group
            if let kept {
                targets[index].source = .file(kept.transfer.id)
                targets[index].keeps = false
            }
            self.highestBirth += 1
            jobs.append(try await self.job(targets[index], self.newID(at: moment), at: moment, kept: kept?.transfer))
        }
        if let kept, case .download(let download) = kept.driver {
            var order = download.order
            order.group = group
            self.highestBirth += 1
            jobs.append(try self.job(order, kept.transfer.id, at: moment))
        }
        return try await self.keep(jobs, key: key, fingerprint: command.document)
    }

    /// The download that keeps what is sent; nil when nothing is to be kept.
    private func keptSource(of targets: [Command.Push], at moment: Moment) throws(Problem) -> Job? {
        guard let first = targets.first, first.keeps, case .link(let url) = first.source else { return nil }
        var order = Command.Download(url: url)
        order.priority = targets.map(\.priority).max() ?? 0
        return try self.job(order, self.newID(at: moment), at: moment)
    }

    /// What people read of a group that nobody named; its end makes it a group of its own.
    private func groupName(of targets: [Command.Push], at moment: Moment) -> String {
        let name: String
        switch targets.first?.source {
        case nil: name = FileName.fallback
        case .file(let file): name = self.broadcaster.table[file]?.latest.name ?? "a stored file"
        case .link(let url):
            name = (FileName.learnt(contentDisposition: nil, url: url) ?? FileName(FileName.fallback)).text
        }
        let count = targets.count == 1 ? "1 place" : "\(targets.count) places"
        // A group has at most 256 bytes.
        var short = name.prefix(60)
        while short.utf8.count > 200 { short.removeLast() }
        return "\(short) to \(count), \(self.newID(at: moment).description.suffix(6))"
    }

    /// Those that one source is sent to at once, without being kept, go together.
    func gather(_ born: [TransferID]) {
        var members: [TransferID] = []
        var source: SourceLink?
        for id in born {
            guard case .push(let push) = self.jobs[id]?.driver, let link = push.source else { continue }
            members.append(id)
            source = link
        }
        guard let source, members.count > 1 else { return }
        _ = self.makeRelay(of: members, from: source)
    }
}

extension Command.Push {
    /// The link that it is fetched from, where it is not stored.
    var sourceLink: SourceLink? {
        guard case .link(let url) = self.source else { return nil }
        return try? SourceLink(url)
    }
}
