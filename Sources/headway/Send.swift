// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadwayClient
import ProgressProtocol

/// `headway send`: sends files to a server, and shows what everybody sees.
enum Send: ClientWord {
    static let name = "send"
    static let operands = "FILE…"
    static let summary = "send files to a server; what was broken off goes on"
    static let about = """
        Sends files to a Headway server, one after the other, and shows each until it is durable there. A connection that
        breaks is made again; after Ctrl-C, the same command goes on where it was.
        """
    static let flags = [
        Flag(name: "--to", value: "URL", help: "the server, as --url"),
        Flag(name: "--name", value: "NAME", help: "what the file shall be called there; of one file only"),
        Flag(name: "--group", value: "GROUP", help: "what they belong to"),
    ]
    static let example = "send photos/*.jpg --to http://nas.local:8080"

    private static let goesOn = "The same command goes on where it was."

    static func run(_ arguments: Arguments, _ client: HeadwayClient) async throws -> Int32 {
        guard !arguments.subjects.isEmpty else {
            throw UsageError("the files are missing, as in: headway send photo.jpg --to http://nas.local:8080")
        }
        guard arguments.subjects.count == 1 || arguments["--name"] == nil else {
            throw UsageError("--name is for one file, and there are \(arguments.subjects.count)")
        }
        let client = try arguments["--to"].map { try Arguments.client(of: $0) } ?? client
        let interrupt = Interrupt { _ in Output.complain("\n" + Self.goesOn) }
        defer { interrupt.cancel() }
        var status = ExitStatus.succeeded
        for path in arguments.subjects {
            let file = URL(fileURLWithPath: path)
            let upload = Upload(file: file, name: arguments["--name"], group: arguments["--group"])
            do throws(Problem) {
                status = max(status, try await Self.send(upload, client, isJSON: arguments.has("--json")))
            } catch {
                Output.complain("headway send: \(path): " + Words.harmless(error.detail))
                let end = ExitStatus.of(error)
                // What had begun is remembered.
                if end == ExitStatus.unreachable, UploadMemory(upload, base: client.base).id != nil {
                    Output.complain(Self.goesOn)
                }
                status = max(status, end)
            }
        }
        return status
    }

    private static func send(_ upload: Upload, _ client: HeadwayClient, isJSON: Bool) async throws(Problem) -> Int32 {
        let memory = UploadMemory(upload, base: client.base)
        var id = memory.id
        if let known = id {
            let transfer = try? await client.transfer(known)
            if transfer.map({ $0.outcome != nil }) ?? true { id = nil }
        }
        let upload = upload
        let sent: TransferID
        if let id { sent = id } else { sent = try await Self.create(upload, client) }
        memory.keep(sent)
        let watching = Task {
            await ViewerSession(client: client, view: ViewChoice.view(isJSON: isJSON)).run(only: [sent])
        }
        do throws(Problem) {
            _ = try await client.send(upload, as: sent)
        } catch {
            // What somebody cancelled is shown as such by who watches.
            let isOver = (try? await client.transfer(sent).outcome) ?? nil
            guard isOver == nil else { return await watching.value }
            watching.cancel()
            throw error
        }
        memory.forget()
        return await watching.value
    }

    private static func create(_ upload: Upload, _ client: HeadwayClient) async throws(Problem) -> TransferID {
        do throws(Problem) { return try await client.create(upload) } catch {
            guard error.status == 404 || error.status == 405 else { throw error }
            var error = error
            error.detail += """
                : --to wants the address that "headway serve" prints, such as \(Arguments.defaultAddress)
                """
            throw error
        }
    }
}
