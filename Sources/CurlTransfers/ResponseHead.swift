// SPDX-License-Identifier: Apache-2.0

/// The head of the final response: after redirects, without interim answers.
package struct ResponseHead: Sendable {
    package var status: Int
    /// The URL that answered, without name and password.
    package var effectiveURL: String
    /// Every line in the order sent, names in lower case, repeated names kept apart.
    package var fields: [(name: String, value: String)]

    package init(status: Int, effectiveURL: String, fields: [(name: String, value: String)]) {
        self.status = status
        self.effectiveURL = effectiveURL
        self.fields = fields
    }

    package func values(_ lowercaseName: String) -> [String] {
        self.fields.filter { $0.name == lowercaseName }.map(\.value)
    }
}

extension ResponseHead: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        left.status == right.status && left.effectiveURL == right.effectiveURL
            && left.fields.elementsEqual(right.fields, by: ==)
    }
}
