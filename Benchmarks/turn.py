# SPDX-License-Identifier: Apache-2.0
"""What a turn costs before anything is sent, against rows, subscriptions and clients; every row has moved.

Nothing but counting happens behind the broadcaster. The floor is the encoding of the same frames alone. No peer can be
asked this without its sockets: see `peers` for those.
"""
from encoding import corebench
from load import tools

TURNS = 50
LIMITS = [
    ("10 × the rows: at most 13 × the time", "rows_1000_by_100", "median", 13),
    ("1,000 × the clients: at most 4 × the time", "clients_10000_by_10", "median", 4),
    ("1,000 subscriptions to one row each: at most 4 × the time of one to all", "subscriptions_1000_by_1", "median", 4),
]


def setting():
    return tools("turn")


def run(tools):
    found = {}
    for rows in (1, 10, 100, 1000):
        found[f"rows_{rows}_us"] = microseconds(rows, 1, 100)
    for clients in (10, 1000, 10_000):
        found[f"clients_{clients}_us"] = microseconds(10, 1, clients)
    for subscriptions in (1, 10, 100, 1000):
        found[f"subscriptions_{subscriptions}_us"] = microseconds(200, subscriptions, 1000)
    encoding = corebench(None, "encoding", 20_000)[1]
    return found | {
        "floor_encoding_us_100": encoding["ns_per_frame"] / 10,
        "rows_1000_by_100": found["rows_1000_us"] / found["rows_100_us"],
        "clients_10000_by_10": found["clients_10000_us"] / found["clients_10_us"],
        "subscriptions_1000_by_1": found["subscriptions_1000_us"] / found["subscriptions_1_us"],
    }


def microseconds(rows, subscriptions, clients):
    return corebench(None, "turn", rows, subscriptions, clients, TURNS)[1]["ns_per_turn"] / 1000
