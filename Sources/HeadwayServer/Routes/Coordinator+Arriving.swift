// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore
import TransferStorage
import WebServer

/// Files that are read while they arrive.
extension Coordinator {
    /// How long a reader waits for the first byte, or the length, before it is told to come again.
    private static let patience = Duration.seconds(30)

    /// What readers of this unfinished transfer follow.
    func arrival(of id: TransferID) -> Arrival? {
        if let arrival = self.arrivals[id] { return arrival }
        guard let job = self.jobs[id], job.machine.isEnded == false || job.transfer.outcome == .succeeded else {
            return nil
        }
        let arrival = Arrival(job.transfer)
        self.arrivals[id] = arrival
        return arrival
    }

    /// Tells those who read it how the transfer is.
    func followArrival(_ transfer: Transfer) {
        guard let arrival = self.arrivals[transfer.id], !arrival.follow(transfer) else { return }
        self.arrivals[transfer.id] = nil
    }

    /// It has ended, and that is durable.
    func endArrival(_ transfer: Transfer) {
        guard let arrival = self.arrivals.removeValue(forKey: transfer.id) else { return }
        switch transfer.outcome {
        case .succeeded where transfer.files == nil: arrival.finish(bytes: transfer.bytes)
        case .failed: arrival.fail(transfer.error ?? Problem(.interrupted, "It failed"))
        case .succeeded, .cancelled, nil: arrival.fail(Problem(.interrupted, "It was called off"))
        }
    }

    /// The server stops: who reads is cut, who waits for the first byte is told.
    func stopArrivals() {
        for arrival in self.arrivals.values { arrival.fail(Self.stopping) }
    }

    /// Opens what is there of an unfinished transfer, once there is something; nil when it has ended meanwhile.
    ///
    /// - Throws: `Problem`: `wrong-state` when that took too long, or what the disk says.
    func openArriving(
        _ id: TransferID,
        until isGivenUp: () -> Bool
    ) async throws(Problem) -> (file: GrowingFile, arrival: Arrival, transfer: Transfer)? {
        while let arrival = self.arrival(of: id), let transfer = self.jobs[id]?.transfer, !isGivenUp() {
            if transfer.bytes > 0 || transfer.total != nil {
                do throws(StorageError) {
                    let file = try await self.folder.files.openGrowing(id.description)
                    // It may have begun anew while it was opened.
                    if self.arrivals[id] === arrival, let transfer = self.jobs[id]?.transfer {
                        return (file, arrival, transfer)
                    }
                    file.close()
                    continue
                } catch {
                    guard error.kind == .missing else { throw Problem(error) }
                }
                guard self.arrivals[id] === arrival else { continue }
            }
            let reader = arrival.join()
            await withCheckedContinuation { continuation in
                arrival.wait(as: reader) { continuation.resume() }
            }
        }
        return nil
    }

    /// Answers a request for a file that is not whole yet; nil when it has ended meanwhile.
    func arrivingFile(_ id: TransferID, _ request: HTTPRequest) async throws(Problem) -> HTTPResponse? {
        let giveUp = self.clock.elapsed + Self.patience
        self.loop.schedule(after: Self.patience) { self.assumeIsolated { $0.arrivals[id]?.wake() } }
        guard let opened = try await self.openArriving(id, until: { self.isStopping || self.clock.elapsed >= giveUp })
        else {
            guard !self.isStopping else { throw Self.stopping }
            guard self.jobs[id] != nil else { return nil }
            let detail = "nothing of it is there yet: it is \(self.jobs[id]?.transfer.state.rawValue ?? "")"
            throw Problem(.wrongState, detail, retryable: true, status: 409)
        }
        let isForm = self.jobs[id]?.upload?.way == .form
        var headers =
            [
                ("content-type", "application/octet-stream"), ("cache-control", "no-store"),
                ("content-disposition", Self.disposition(opened.transfer.name)),
                ("content-security-policy", "sandbox; default-src 'none'"),
            ] + Answer.protective
        // A form's length is sure at its end only; without one there is no range either.
        guard let size = isForm ? nil : opened.transfer.total else {
            let body = ArrivingBody(opened.file, opened.arrival, from: 0)
            return HTTPResponse(status: 200, headers: headers, body: .stream(length: nil, source: body))
        }
        headers.append(("accept-ranges", "bytes"))
        // There is no tag by which another part could be told to belong to this one.
        switch request.header("if-range") == nil ? ByteRange(request.header("range"), size: size) : .whole {
        case .whole:
            let body = ArrivingBody(opened.file, opened.arrival, from: 0)
            return HTTPResponse(status: 200, headers: headers, body: .stream(length: size, source: body))
        case .part(let range):
            headers.append(("content-range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"))
            let body = ArrivingBody(opened.file, opened.arrival, from: range.lowerBound)
            let length = range.upperBound - range.lowerBound
            return HTTPResponse(status: 206, headers: headers, body: .stream(length: length, source: body))
        case .unsatisfiable:
            opened.file.close()
            let problem = Problem(.invalid, "the file has \(size) bytes, and none of the range", status: 416)
            return Answer.problem(problem, [("content-range", "bytes */\(size)")])
        }
    }
}
