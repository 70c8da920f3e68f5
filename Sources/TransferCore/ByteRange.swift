// SPDX-License-Identifier: Apache-2.0

/// The one part of a file that a `Range` header asks for (RFC 9110 §14).
package enum ByteRange: Sendable, Equatable {
    /// All of it: no range, one of another unit, or several (a server may answer those with the whole).
    case whole
    /// These bytes.
    case part(Range<Int64>)
    /// Nothing of what was asked for is there.
    case unsatisfiable

    /// - Parameters:
    ///   - header: as it was sent; nil without one.
    ///   - size: of the file, 0 or more.
    package init(_ header: String?, size: Int64) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes=") else { return }
        let spec = header.dropFirst(6)
        guard !spec.contains(","), let dash = spec.firstIndex(of: "-") else { return }
        let first = spec[..<dash]
        let last = spec[spec.index(after: dash)...]
        guard (first + last).utf8.allSatisfy(ResponseFacts.isDigit) else { return }
        if first.isEmpty {
            guard let count = Int64(last) else { return }
            self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
            return
        }
        guard let from = Int64(first) else {
            self = .unsatisfiable
            return
        }
        let to = last.isEmpty ? size - 1 : Int64(last) ?? .max
        guard to >= from || last.isEmpty else { return }
        self = from >= size ? .unsatisfiable : .part(from..<min(to, size - 1) + 1)
    }
}
