// SPDX-License-Identifier: Apache-2.0

package import ProgressProtocol

/// How many bytes all files and parts may have together: what an operator gives, whatever the disk has.
package struct StoreLimit: Sendable {
    package let most: Int64

    package init(_ most: Int64) {
        self.most = most
    }

    /// Whether one more may come.
    ///
    /// - Parameters:
    ///   - needed: bytes that it has still to write; nil when only its end will tell.
    ///   - used: what the files and parts have now.
    ///   - promised: what the others that come have still to write.
    /// - Returns: why not; nil if it may.
    package func refusal(needed: Int64?, used: Int64, promised: Int64) -> Problem? {
        let left = max(0, self.most - used - promised)
        guard needed.map({ $0 > left }) ?? (left == 0) else { return nil }
        let need = needed.map { "it needs \($0) bytes more" } ?? "it does not say how many bytes it needs"
        var words = "\(need), and of the \(self.most) that all files may have together \(left) are left"
        if promised > 0 { words += " (what is running needs \(promised) more)" }
        return Problem(.storeFull, words, status: 507)
    }
}
