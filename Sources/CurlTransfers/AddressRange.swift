// SPDX-License-Identifier: Apache-2.0

/// A block of addresses such as `127.0.0.0/8`.
package struct AddressRange: Sendable, Equatable {
    /// The first address of the block; never a version 4 address in version 6 clothes.
    package let base: IPAddress
    package let prefixLength: Int

    /// Reads `127.0.0.0/8`, `::1/128`, or a bare address, which is a block of one.
    ///
    /// Bits behind the prefix are ignored.
    package init?(_ cidr: String) {
        let parts = cidr.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let address = IPAddress(first) else { return nil }
        let width = address.width
        var length = width
        if parts.count == 2 {
            guard let given = IPAddress.decimal(Array(parts[1].utf8)[...], atMost: width) else { return nil }
            length = given
        }
        // Mapped addresses are judged as version 4, so a range of them has to be one too.
        if case .v4 = address.unmapped, width == 128, length >= 96 {
            self.init(address.unmapped, prefixLength: length - 96)
        } else {
            self.init(address, prefixLength: length)
        }
    }

    init(_ address: IPAddress, prefixLength: Int) {
        self.prefixLength = prefixLength
        switch address {
        case .v4(let bits): self.base = .v4(bits & ~(UInt32.max >> prefixLength))
        case .v6(let bits): self.base = .v6(bits & ~(UInt128.max >> prefixLength))
        }
    }

    package func contains(_ address: IPAddress) -> Bool {
        switch (self.base, address.unmapped) {
        case (.v4(let base), .v4(let bits)): (base ^ bits) & ~(UInt32.max >> self.prefixLength) == 0
        case (.v6(let base), .v6(let bits)): (base ^ bits) & ~(UInt128.max >> self.prefixLength) == 0
        default: false
        }
    }
}

extension AddressRange: CustomStringConvertible {
    package var description: String { "\(self.base)/\(self.prefixLength)" }
}

extension IPAddress {
    fileprivate var width: Int {
        switch self {
        case .v4: 32
        case .v6: 128
        }
    }
}
