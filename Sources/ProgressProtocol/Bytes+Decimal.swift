// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends a whole number in decimal digits, without an allocation where there is room.
    package mutating func append(decimal number: UInt64) {
        var low = self.count
        var rest = number
        repeat {
            self.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        // They came from the last to the first.
        var high = self.count - 1
        while low < high {
            self.swapAt(low, high)
            low += 1
            high -= 1
        }
    }
}
