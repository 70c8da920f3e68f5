// SPDX-License-Identifier: Apache-2.0

/// What goes into a statement.
enum SQLValue {
    case null
    case number(Int64)
    case text(String)
    case blob([UInt8])

    init(_ text: String?) {
        self = text.map(SQLValue.text) ?? .null
    }

    init(_ number: Int64?) {
        self = number.map(SQLValue.number) ?? .null
    }
}
