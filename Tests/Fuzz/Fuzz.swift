// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What libFuzzer calls with each of its inputs; HEADWAY_FUZZ says which reader gets them.
///
/// A reader may refuse anything. It must not trap, hang or grow, and what it returns must hold together: where that is
/// not so, `check` ends the process, and libFuzzer keeps the input. `scripts/fuzz` builds and runs this.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private let target: @Sendable ([UInt8]) -> Void = {
    switch unsafe getenv("HEADWAY_FUZZ").map({ unsafe String(cString: $0) }) {
    case "form": fuzzForm
    case "tus": fuzzTus
    case "range": fuzzRange
    case "name": fuzzName
    case let word: fatalError("HEADWAY_FUZZ is form, tus, range or name, not \(word ?? "nothing")")
    }
}()

/// Ends the process when something does not hold.
func check(_ holds: Bool, _ words: @autoclosure () -> String) {
    if !holds { fatalError(words()) }
}

/// The input's first line without its end, which is taken away.
func takeLine(_ input: inout ArraySlice<UInt8>) -> String {
    let line = input.prefix { $0 != 0x0A }
    input = input.dropFirst(line.count + 1)
    return String(decoding: line, as: UTF8.self)
}
