// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
@testable import TransferCore

/// The first byte says how a body is cut into pieces, the first line is its boundary, the rest its bytes.
///
/// However it is cut, the same comes out; a file comes out as it was put in.
@Sendable func fuzzForm(_ input: [UInt8]) {
    guard let seed = input.first else { return }
    var rest = input.dropFirst()
    let line = takeLine(&rest)
    guard let boundary = try? FormBoundary(contentType: "multipart/form-data; boundary=" + line) else { return }
    let body = Array(rest)
    for length in [nil, Int64(body.count)] {
        let whole = Reading(body, boundary, length: length, cut: nil)
        check(whole == Reading(body, boundary, length: length, cut: SplitMix64(seed: UInt64(seed))), "cuts matter")
    }
    wrap(body, boundary)
}

/// A file of these bytes, unless they hold the boundary themselves.
private func wrap(_ content: [UInt8], _ boundary: FormBoundary) {
    let mark = [0x2D, 0x2D] + boundary.bytes
    let head = mark + Array("\r\nContent-Disposition: form-data; filename=\"f\"\r\n\r\n".utf8)
    let body = head + content + boundary.delimiter + [0x2D, 0x2D, 0x0D, 0x0A]
    guard !holds(content + [0x0D, 0x0A], mark) else { return }
    let reading = Reading(body, boundary, length: Int64(body.count), cut: SplitMix64(seed: 1))
    let name = FileName.received("f")
    let right: [Reading.Step] = [.file(name, total: Int64(content.count)), .bytes(content), .fileEnded, .ended]
    check(reading.problem == nil, "a right form is refused: \(reading.problem?.detail ?? "")")
    check(reading.steps == right.filter { $0 != .bytes([]) }, "another file came out")
}

private func holds(_ bytes: [UInt8], _ mark: [UInt8]) -> Bool {
    guard bytes.count >= mark.count else { return false }
    return (0...bytes.count - mark.count).contains { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
}

/// All that a form said.
private struct Reading: Equatable {
    enum Step: Equatable {
        case file(FileName, total: Int64?)
        case bytes([UInt8])
        case fileEnded
        case ended
    }

    var steps: [Step] = []
    var problem: Problem?

    init(_ body: [UInt8], _ boundary: FormBoundary, length: Int64?, cut: SplitMix64?) {
        var intake = FormIntake(boundary, length: length)
        var dice = cut
        var rest = body[...]
        do {
            while !rest.isEmpty {
                let count = dice?.next().trailingZeroBitCount.magnitude ?? UInt(rest.count)
                let piece = rest.prefix(Int(count) + (cut == nil ? 0 : 1))
                rest = rest.dropFirst(piece.count)
                for event in try intake.read(piece) { self.add(event) }
                check(intake.fileBytes <= Int64(body.count), "more came than was sent")
                check(intake.files <= FormParser.maximumParts, "too many files")
            }
            try intake.finish()
            check(intake.total == intake.fileBytes, "the total is not what came")
        } catch {
            // What came before the refusal depends on the pieces; the refusal does not.
            self.steps = []
            self.problem = error as? Problem
        }
    }

    private mutating func add(_ event: FormIntake.Event) {
        switch event {
        case .file(let name, _, let total): self.steps.append(.file(name, total: total))
        case .bytes(let bytes):
            guard case .bytes(let before)? = self.steps.last else { return self.steps.append(.bytes(Array(bytes))) }
            self.steps[self.steps.count - 1] = .bytes(before + bytes)
        case .fileEnded: self.steps.append(.fileEnded)
        case .ended: self.steps.append(.ended)
        }
    }
}
