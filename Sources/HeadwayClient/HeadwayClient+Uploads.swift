// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ProgressProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Uploads by tus 1.0.0: in requests of bounded size, and on from where a broken one left off.
extension HeadwayClient {
    private static let version = ("Tus-Resumable", "1.0.0")
    /// Failures in a row, without a byte between them, before it is given up.
    private static let mostFailures = 8

    /// Sends a file, and waits until it is durable there.
    ///
    /// A connection that breaks is made again, and goes on where the server stands. `progress` is called after each
    /// request; who wants figures that move all the time watches ``updates(of:)``, which shows what everybody sees.
    ///
    /// - Throws: `Problem` that says why not: `too-large`, say, or that the file can't be read.
    public func upload(
        _ upload: Upload,
        progress: @Sendable (UploadProgress) -> Void = { _ in }
    ) async throws(Problem) -> Transfer {
        let id = try await self.create(upload)
        return try await self.send(upload, as: id, progress: progress)
    }

    /// Tells the server of a file that will come; nothing of it is sent yet.
    ///
    /// Keep the id, and `send(_:as:progress:)` goes on with it even after your program was started anew.
    ///
    /// - Throws: `Problem` that says why not.
    public func create(_ upload: Upload) async throws(Problem) -> TransferID {
        let total = try FileSlices.size(of: upload.file)
        var query: [(String, String)] = []
        if let group = upload.group { query.append(("group", group)) }
        var request = try self.request("POST", "tus", query: query)
        request.setValue(Self.version.1, forHTTPHeaderField: Self.version.0)
        request.setValue(String(total), forHTTPHeaderField: "Upload-Length")
        let name = Data(upload.name.utf8).base64EncodedString()
        request.setValue("filename " + name, forHTTPHeaderField: "Upload-Metadata")
        guard let location = try await self.exchange(request).head.header("Location"),
            let last = location.split(separator: "/").last,
            let id = TransferID(String(last.prefix { $0 != "?" }))
        else { throw Problem(.remoteProtocol, "\(self.address) did not say where the upload is") }
        return id
    }

    /// Sends what the server does not have yet, and waits until the file is durable there.
    ///
    /// - Throws: `Problem`; `not-found` when the upload is over, because somebody cancelled it or it has expired.
    public func send(
        _ upload: Upload,
        as id: TransferID,
        progress: @Sendable (UploadProgress) -> Void = { _ in }
    ) async throws(Problem) -> Transfer {
        let total = try FileSlices.size(of: upload.file)
        var offset: Int64?
        var failures = 0
        var backoff = Backoff()
        while offset != total {
            do throws(Problem) {
                if let taken = offset {
                    let count = Int(min(Int64(max(upload.chunk, 1 << 16)), total - taken))
                    offset = try await self.append(
                        try FileSlices.read(upload.file, at: taken, count: count),
                        at: taken,
                        to: id
                    )
                } else {
                    offset = try await self.offset(of: id, total: total)
                }
                failures = 0
                backoff.reset()
                if let offset { progress(UploadProgress(taken: offset, total: total)) }
            } catch {
                failures += 1
                guard error.retryable || error.status == 409 || error.status == 423, failures < Self.mostFailures,
                    !Task.isCancelled
                else { throw error }
                // How much of the broken request was taken only the server knows.
                offset = nil
                try? await Task.sleep(for: backoff.next(random: .random(in: 0...1)))
            }
        }
        return try await self.ended(id)
    }

    /// Where the server stands.
    private func offset(of id: TransferID, total: Int64) async throws(Problem) -> Int64 {
        var request = try self.request("HEAD", "tus/\(id)")
        request.setValue(Self.version.1, forHTTPHeaderField: Self.version.0)
        let head: HTTPExchange
        do throws(Problem) { head = try await self.exchange(request).head } catch {
            // An upload that has every byte is over for tus, and there all the same.
            if error.status == 404 || error.status == 410,
                let transfer = try? await self.transfer(id), transfer.outcome == nil || transfer.outcome == .succeeded,
                transfer.bytes == total
            {
                return total
            }
            throw error
        }
        return try self.offset(in: head, upTo: total)
    }

    private func append(_ bytes: Data, at offset: Int64, to id: TransferID) async throws(Problem) -> Int64 {
        var request = try self.request("PATCH", "tus/\(id)")
        request.setValue(Self.version.1, forHTTPHeaderField: Self.version.0)
        request.setValue("application/offset+octet-stream", forHTTPHeaderField: "Content-Type")
        request.setValue(String(offset), forHTTPHeaderField: "Upload-Offset")
        request.httpBody = bytes
        return try self.offset(in: try await self.exchange(request).head, upTo: offset + Int64(bytes.count))
    }

    private func offset(in head: HTTPExchange, upTo limit: Int64) throws(Problem) -> Int64 {
        guard let offset = head.header("Upload-Offset").flatMap({ Int64($0) }), (0...limit).contains(offset) else {
            throw Problem(.remoteProtocol, "\(self.address) did not say how much of the upload it has")
        }
        return offset
    }

    private func ended(_ id: TransferID) async throws(Problem) -> Transfer {
        for try await change in self.updates(of: id) {
            switch change {
            case .table(let transfers):
                if let transfer = transfers.first(where: { $0.id == id && $0.outcome != nil }) { return transfer }
            case .ended(let transfer), .removed(let transfer): return transfer
            case .started, .moved, .live, .lost: continue
            }
        }
        throw Problem(.interrupted, "Waiting for the end of \(id) was called off")
    }
}
