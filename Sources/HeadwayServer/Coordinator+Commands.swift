// SPDX-License-Identifier: Apache-2.0

import BroadcastCore
import ProgressProtocol
import TransferCore
import WebServer

/// What viewers say.
extension Coordinator {
    /// One message of a socket is one command; every command has one answer.
    func receive(_ id: ConnectionID, _ bytes: [UInt8]) {
        guard let message = Command.message(bytes) else {
            self.metrics.dropped[.invalid] += 1
            return self.loop.close(
                id,
                code: CloseCode.notAnObject.rawValue,
                reason: "a message has to be a JSON object"
            )
        }
        switch self.allowances[id]?.take(at: self.clock.now().clock) {
        case nil: return
        case .flood:
            self.metrics.dropped[.flood] += 1
            return self.loop.close(id, code: CloseCode.flood.rawValue, reason: "far too many commands")
        case .tooMany:
            self.metrics.refused[.rate] += 1
            let problem = Problem(.rateLimited, "20 commands a second are the most, 40 at once", retryable: true)
            return self.onceJoined(id) { self.answer(id, message.ref, nil, problem) }
        case .fine: break
        }
        switch message.command {
        case .failure(let problem):
            self.metrics.operations[.invalid] += 1
            self.onceJoined(id) { self.answer(id, message.ref, nil, problem) }
        case .success(let command):
            self.metrics.operations[Metrics.Operation(command)] += 1
            self.onceJoined(id) { self.carryOut(command, message.ref, id) }
        }
    }

    /// Before it has joined, nobody could be answered; who asked then is answered behind the `hello`.
    private func onceJoined(_ id: ConnectionID, _ work: @escaping () -> Void) {
        guard self.broadcaster.filter(of: Self.reader(id)) == nil else { return work() }
        self.inTurn(id) { work() }
    }

    private func carryOut(_ command: Command, _ ref: String?, _ id: ConnectionID) {
        let reader = Self.reader(id)
        switch command {
        case .ping: self.answer(id, ref, nil, nil)
        case .pace(let interval):
            self.answer(id, ref, nil, nil)
            self.broadcaster.pace(reader, interval: interval, sink: self.sink)
        case .watch(let filter):
            self.inTurn(id) {
                let named = await self.named(filter.ids)
                self.answer(id, ref, nil, nil)
                self.broadcaster.watch(reader, filter, named: named, at: self.clock.now().at, sink: self.sink)
            }
        case .sync:
            self.inTurn(id) {
                let ids = self.broadcaster.filter(of: reader)?.ids ?? []
                let named = await self.named(ids)
                self.answer(id, ref, nil, nil)
                self.broadcaster.sync(reader, named: named, at: self.clock.now().at, sink: self.sink)
            }
        case .download(let order): self.obeyCreation(command, key: order.key, ref: ref, from: id)
        case .demo(let order): self.obeyCreation(command, key: order.key, ref: ref, from: id)
        case .push(let order): self.obeyCreation(command, key: order.key, ref: ref, from: id)
        case .pushes(let order): self.obeyCreation(command, key: order.key, ref: ref, from: id)
        case .task(let order): self.obeyCreation(command, key: order.key, ref: ref, from: id)
        case .report(let report, let transfer):
            self.obey(on: transfer, ref: ref, from: id) { () throws(Problem) in
                _ = try await self.report(report, of: transfer)
            }
        case .change(let change, let transfer):
            self.obey(on: transfer, ref: ref, from: id) { () throws(Problem) in
                _ = try await self.change(change, of: transfer)
            }
        case .steer(let action, let transfer):
            Task {
                do throws(Problem) {
                    let result = try await self.steer(action, transfer)
                    self.answer(id, ref, result?.id ?? transfer, nil)
                    if action == .retry, let result { self.begin(result.id) }
                } catch {
                    self.answer(id, ref, transfer, error)
                }
            }
        }
    }

    private func obey(
        on transfer: TransferID,
        ref: String?,
        from id: ConnectionID,
        _ work: @escaping () async throws(Problem) -> Void
    ) {
        Task {
            do throws(Problem) {
                try await work()
                self.answer(id, ref, transfer, nil)
            } catch {
                self.answer(id, ref, transfer, error)
            }
        }
    }

    private func obeyCreation(_ command: Command, key: String?, ref: String?, from id: ConnectionID) {
        Task {
            do throws(Problem) {
                let created = try await self.create(command, key: key)
                var ack = Frame.Ack(ref: ref, id: created.transfers.first?.id, error: nil)
                if case .pushes = command { ack.ids = created.transfers.map(\.id) }
                self.broadcaster.answer(Self.reader(id), ack, sink: self.sink)
                self.begin(created)
            } catch {
                self.answer(id, ref, nil, error)
            }
        }
    }

    private func answer(_ id: ConnectionID, _ ref: String?, _ transfer: TransferID?, _ problem: Problem?) {
        self.broadcaster.answer(Self.reader(id), Frame.Ack(ref: ref, id: transfer, error: problem), sink: self.sink)
    }
}
