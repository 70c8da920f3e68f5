// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import TransferCore

/// A moment so many milliseconds after the start; the calendar shows the same.
func moment(_ milliseconds: Int64) -> Moment {
    Moment(clock: .milliseconds(milliseconds), at: Timestamp(milliseconds: 1_780_000_000_000 + milliseconds))
}

func transferID(_ number: Int64) -> TransferID {
    TransferID(milliseconds: number, random: (1, 2))
}

func newTransfer(kind: TransferKind = .download) -> Transfer {
    Transfer(id: transferID(1), kind: kind, name: "data.bin", createdAt: Timestamp(milliseconds: 1_780_000_000_000))
}

func newMachine(checksum: ExpectedChecksum? = nil, hasFixedName: Bool = false) -> TransferMachine {
    TransferMachine(
        newTransfer(),
        retry: RetryPolicy(seed: 7),
        checksum: checksum,
        hasFixedName: hasFixedName
    )
}

func take(
    from: Int64 = 0,
    total: Int64? = 1000,
    end: Int64? = nil,
    isFramed: Bool = true,
    validator: String? = "\"v1\"",
    name: String? = nil,
    digest: ExpectedChecksum? = nil,
    coding: String? = nil
) -> HeadVerdict {
    .take(
        HeadVerdict.Body(
            from: from,
            total: total,
            end: end ?? total,
            lengthIsFramed: isFramed,
            validator: validator,
            name: name,
            digest: digest,
            coding: coding
        )
    )
}

let broken = FetchEnd.failed(Problem(.remoteUnreachable, "The connection broke", retryable: true), retryAfter: nil)

/// The wait that a list of orders asks for.
func wake(in orders: [TransferMachine.Order]) -> Duration? {
    for case .wake(let delay) in orders { return delay }
    return nil
}

/// A machine that fetches a file of 1000 bytes and has so many.
func running(bytes: Int64 = 0, total: Int64? = 1000, isFramed: Bool = true, validator: String? = "\"v1\"")
    -> TransferMachine
{
    var machine = newMachine()
    _ = machine.begin()
    _ = machine.admitted(at: moment(0))
    _ = machine.headArrived(take(total: total, isFramed: isFramed, validator: validator), bytes: 0, at: moment(10))
    if bytes > 0 { _ = machine.sampled(bytes: bytes, at: moment(100)) }
    return machine
}

func + (moment: Moment, delay: Duration) -> Moment {
    Moment(
        clock: moment.clock + delay,
        at: Timestamp(milliseconds: moment.at.milliseconds + delay.wholeMilliseconds)
    )
}
