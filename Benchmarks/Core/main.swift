// SPDX-License-Identifier: Apache-2.0

import Glibc

// What needs no socket to be measured; Benchmarks/bench.py runs it and reads the one line of JSON that it prints.

let words = CommandLine.arguments.dropFirst()
let numbers = words.dropFirst().compactMap { Int($0) }

switch (words.first, numbers.count) {
case ("encoding", 1): print(measureEncoding(frames: numbers[0]))
case ("turn", 4):
    print(measureTurns(rows: numbers[0], subscriptions: numbers[1], clients: numbers[2], turns: numbers[3]))
default:
    print("usage: corebench encoding FRAMES | corebench turn ROWS SUBSCRIPTIONS CLIENTS TURNS")
    exit(64)
}

/// Seconds of the processor that this process has used.
func processorSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
