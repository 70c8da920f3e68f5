// SPDX-License-Identifier: Apache-2.0

@testable import TransferCore

/// A line with a file's size, then `Range` or `Content-Range`.
@Sendable func fuzzRange(_ input: [UInt8]) {
    var rest = input[...]
    let size = Int64(takeLine(&rest)).map { max($0, 0) } ?? 1000
    let header = String(decoding: rest, as: UTF8.self)
    switch ByteRange(header, size: size) {
    case .part(let range):
        check(range.lowerBound >= 0 && range.upperBound <= size && !range.isEmpty, "\(range) is not in \(size) bytes")
    case .unsatisfiable:
        check(header.utf8.contains { $0 >= 0x30 && $0 <= 0x39 }, "a range without a number")
    case .whole: break
    }
    if let range = ContentRange(header), let first = range.first, let last = range.last {
        check(first >= 0 && first <= last && last < range.total ?? .max, "\(range) does not hold together")
    }
}
