// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// Tells a server how far some work is, beside the work and never in its way.
///
/// A server that does not answer is asked again and again, and complained about once: a backup goes on without it.
actor Reporter {
    /// Between two reports that bring something new.
    private static let distance = Duration.milliseconds(200)
    /// That the work lives is told even when nothing is new: silence counts as its end.
    private static let longestSilence = Duration.seconds(1)
    private static let retryDistance = Duration.seconds(2)
    /// The end is worth waiting for, but not for ever.
    private static let lastPatience = Duration.seconds(5)

    private let client: HeadwayClient
    private let order: Command.Work
    private let isJSON: Bool
    /// How far the work is, asked from time to time.
    private let progress: @Sendable () -> Command.Report
    /// Called once when somebody else has ended the task: cancelled it, as a rule.
    ///
    /// With how it ended, where that is known.
    private let whenEnded: @Sendable (TransferState?) -> Void

    private var id: TransferID?
    private var told: Command.Report?
    private var isComplaining = false
    private var isOver = false

    init(
        _ client: HeadwayClient,
        _ order: Command.Work,
        isJSON: Bool,
        progress: @escaping @Sendable () -> Command.Report,
        whenEnded: @escaping @Sendable (TransferState?) -> Void = { _ in }
    ) {
        self.client = client
        var order = order
        order.key = UUID().uuidString
        self.order = order
        self.isJSON = isJSON
        self.progress = progress
        self.whenEnded = whenEnded
    }

    /// Reports until the task around it is cancelled.
    func run() async {
        var quietSince = ContinuousClock.now
        while !Task.isCancelled, !self.isOver {
            let report = self.progress()
            var wait = Self.distance
            if report != self.told || ContinuousClock.now - quietSince >= Self.longestSilence {
                quietSince = .now
                if await !self.tell(report) { wait = Self.retryDistance }
            }
            try? await Task.sleep(for: wait)
        }
    }

    /// Tells the end; gives up after a few seconds without an answer.
    func end(_ report: Command.Report) async {
        let deadline = ContinuousClock.now + Self.lastPatience
        while !self.isOver, await !self.tell(report), !self.isOver, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(300))
        }
        self.isOver = true
    }

    /// - Returns: whether it arrived.
    private func tell(_ report: Command.Report) async -> Bool {
        do throws(Problem) {
            let id = try await self.created()
            let transfer = try await self.client.report(report, of: id)
            self.told = report
            if self.isComplaining { Output.complain("headway: \(self.client.base.absoluteString) answers again") }
            self.isComplaining = false
            if self.isJSON { Output.complain(String(decoding: transfer.document(), as: UTF8.self)) }
            if transfer.outcome != nil, !self.isOver {
                self.isOver = true
                // It may have been ended while our report was on its way.
                if report.state == .running { self.whenEnded(transfer.state) }
            }
            return true
        } catch {
            await self.failed(error)
            return false
        }
    }

    private func created() async throws(Problem) -> TransferID {
        if let id = self.id { return id }
        let id = try await self.client.start(task: self.order).id
        self.id = id
        return id
    }

    private func failed(_ problem: Problem) async {
        switch problem.code {
        case .wrongState, .notFound:
            guard let id = self.id, !self.isOver else { return }
            self.isOver = true
            // Whoever has ended it may still be at it.
            let end = await self.client.settled(id) { $0.outcome != nil }
            self.whenEnded(end?.outcome == nil ? nil : end?.state)
        default:
            // A report that is given up because the work is over says nothing of the server: the last one will.
            guard !self.isComplaining, !Task.isCancelled else { return }
            self.isComplaining = true
            Output.complain(
                "headway: \(Words.harmless(problem.detail)); the work goes on, and nobody sees how far it is"
            )
        }
    }
}
