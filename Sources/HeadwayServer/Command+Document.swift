// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore

extension Command.Download {
    /// The order with what the server said of the file's bytes: kept with the record, to be known again after a restart.
    func document(announced: ExpectedChecksum?) -> String {
        guard let announced, case .object(var members) = self.json else { return self.json.text }
        members["announced"] = .string(announced.text)
        return JSONValue.object(members).text
    }
}

extension Command {
    /// What a creation asks for, as JSON: kept with the record, never shown, and equal for equal orders.
    var document: String {
        switch self {
        case .download(let order): order.json.text
        case .demo(let order): order.json.text
        case .push(let order): order.json.text
        case .pushes(let order): order.json.text
        case .task(let order): order.json.text
        case .report, .steer, .change, .watch, .pace, .sync, .ping: ""
        }
    }
}
