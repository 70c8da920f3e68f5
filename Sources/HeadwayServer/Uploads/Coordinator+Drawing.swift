// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

/// Long bodies: their bytes go from the socket into the file on a disk thread, and the loop hears how many they were.
extension Coordinator {
    /// From so many bytes on a body is taken so: its connection ends with the answer, which costs a shorter one more than
    /// it saves.
    static let divertedLength: Int64 = 64 << 20
    /// While more come at once, what was written is read again for its digest: each might leave 4 MiB behind it in memory.
    private static let mostLenders = 8
    /// How much of a form is read at once as long as no file of it has begun.
    private static let headLength: Int64 = 65_536

    /// Puts what the socket of a body has behind the part file's end.
    func draw(_ socket: BodySocket, of body: IncomingBody, into id: TransferID, digest: ChunkDigest? = nil)
        async throws(Problem)
    {
        let lends = self.bodies.count <= Self.mostLenders
        _ = try await self.pump(socket, body, id, ()) { _, block, part throws(StorageError) in
            try digest?.update(block.bytes[...])
            let error =
                lends
                ? part.append(lending: &block) : unsafe block.bytes.withUnsafeBytes { unsafe part.append($0) }
            block.clear()
            if let error { throw error }
            return true
        }
    }

    /// Puts what a form's file has of it behind the part file's end.
    ///
    /// - Returns: what came behind that.
    func draw(_ socket: BodySocket, of body: IncomingBody, into id: TransferID, _ intake: inout FormIntake)
        async throws(Problem) -> [FormIntake.Event]
    {
        var drawn = FormDraught(intake: intake)
        if self.jobs[id]?.upload?.writer == nil {
            // As long as no file is open there is nothing to wait for but memory.
            var pump = SocketPump(socket, missing: min(body.missing, Self.headLength), self.blocks)
            pump.run { drawn.take(&$0) }
            self.drew(pump, of: body)
        } else {
            drawn = try await self.pump(socket, body, id, drawn) { draught, block, part throws(StorageError) in
                try draught.take(&block, into: part)
            }
        }
        intake = drawn.intake
        if let problem = drawn.problem { throw problem }
        return drawn.rest
    }

    /// `store` takes the bytes of a block, says whether more is wanted, and keeps what it learns in `taker`.
    private func pump<Taker: Sendable>(
        _ socket: BodySocket,
        _ body: IncomingBody,
        _ id: TransferID,
        _ taker: Taker,
        _ store: @escaping @Sendable (inout Taker, inout Block, PartFile) throws(StorageError) -> Bool
    ) async throws(Problem) -> Taker {
        guard let job = self.jobs[id], !job.machine.isEnded, let writer = job.upload?.writer else { throw Self.over }
        let missing = body.missing
        let blocks = self.blocks
        do throws(StorageError) {
            let (pump, taker) = try await writer.perform { part throws(StorageError) in
                var taker = taker
                var pump = SocketPump(socket, missing: missing, blocks)
                try pump.run(at: part.written) { block throws(StorageError) in try store(&taker, &block, part) }
                return (pump, taker)
            }
            self.drew(pump, of: body)
            return taker
        } catch {
            throw self.diskFailed(error, id)
        }
    }

    private func drew(_ pump: SocketPump, of body: IncomingBody) {
        body.drew(pump.count)
        self.loop.tookBody(body.id, pump.count)
        if pump.isOver { body.lose(Self.problem(.connection)) }
    }
}

/// What is drawn of a form.
private struct FormDraught {
    var intake: FormIntake
    /// What is behind the bytes that were written.
    var rest: [FormIntake.Event] = []
    var problem: Problem?

    /// Writes the bytes of the file that is open; says whether there was nothing else.
    mutating func take(_ block: inout Block, into part: PartFile) throws(StorageError) -> Bool {
        defer { block.clear() }
        for event in self.read(block) {
            if self.rest.isEmpty, case .bytes(let bytes) = event {
                if let error = unsafe bytes.withUnsafeBytes({ unsafe part.append($0) }) { throw error }
            } else {
                self.rest.append(event)
            }
        }
        return self.rest.isEmpty && self.problem == nil
    }

    /// Keeps everything for later; says whether the form can be read on.
    mutating func take(_ block: inout Block) -> Bool {
        defer { block.clear() }
        self.rest += self.read(block)
        return self.problem == nil
    }

    private mutating func read(_ block: Block) -> [FormIntake.Event] {
        do throws(Problem) {
            return try self.intake.read(block.bytes[...])
        } catch {
            self.problem = error
            return []
        }
    }
}
