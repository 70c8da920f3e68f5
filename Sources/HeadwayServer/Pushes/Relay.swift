// SPDX-License-Identifier: Apache-2.0

import CurlTransfers
import ProgressProtocol
import TransferCore

/// One source on its way to its targets, without being stored: it is requested once, however many there are.
///
/// All of its members go at once and take one place in the line, for which the source's host counts. Who has to try
/// again does so in a relay of its own.
struct Relay {
    /// Where its source's request is.
    enum Phase {
        /// Not all members are there yet, or it stands in line.
        case waiting
        /// The source is requested, and its head has not come.
        case requested
        /// The head has come: members send.
        case flowing(HeadVerdict.Body)
    }

    /// Its name in the line.
    let id: TransferID
    let link: SourceLink
    let buffer: RelayBuffer
    /// The source's request.
    let handle: DownloadHandle
    var phase = Phase.waiting
    /// Who belongs to it and has neither ended nor left, with its number among the readers.
    var members: [TransferID: Int] = [:]
    /// Those of them that have asked for a place.
    var asked: Set<TransferID> = []
    /// Those of them that want to send.
    var ready: Set<TransferID> = []

    var isComplete: Bool { self.asked.isSuperset(of: self.members.keys) }
    var isReady: Bool { self.ready.isSuperset(of: self.members.keys) }
}
