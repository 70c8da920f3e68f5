// SPDX-License-Identifier: Apache-2.0

/// The one part of a file that a `Range` header asks for (RFC 9110 §14).
enum ByteRange: Equatable {
    /// All of it: no range, one of another unit, or several (a server may answer those with the whole).
    case whole
    /// These bytes.
    case part(Range<Int64>)
    /// Nothing of what was asked for is there.
    case unsatisfiable

    init(_ header: String?, size: Int64) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes=") else { return }
        let spec = header.dropFirst(6)
        guard !spec.contains(","), let dash = spec.firstIndex(of: "-") else { return }
        let first = spec[..<dash]
        let last = spec[spec.index(after: dash)...]
        guard first.allSatisfy(\.isASCIIDigit), last.allSatisfy(\.isASCIIDigit) else { return }
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

extension Character {
    fileprivate var isASCIIDigit: Bool { self >= "0" && self <= "9" }
}
