# SPDX-License-Identifier: Apache-2.0
"""CPU per frame, and latency, of 1,000 WebSocket clients that watch 10 demo transfers at 10 frames/s each.

A run is: Headway under load/wsload.c; then load/fanout_floor.c, what the kernel alone charges for a send of one such
frame; then load/plain_sender.py, a bare program that sends the same frames, joined, at the same pace. With two cores,
the sender has one and the load the other.
"""
import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from machine import LOAD_CORE, ROOT, SERVER_CORE, pinned, raise_open_files
from server import Server

CLIENTS, TRANSFERS, PACE = 1000, 10, 10
# Clients join while the demos run; the demos end while wsload drains, so that it sees every end.
WARMUP, DURATION, DRAIN, DEMO_SECONDS = 2, 8, 8, 15
HERE = Path(__file__).resolve().parent
LIMITS = [
    ("no end missed, none told twice (clients)", "clients_with_wrong_ends", "each", 0),
    ("no client lost", "clients_lost", "each", 0),
    ("p99 latency under 100 ms", "p99_ms", "median", 99.999),
    ("CPU per frame at most 0.5 × the floor's per single send", "ratio", "median", 0.5),
]


@contextlib.contextmanager
def setting():
    raise_open_files()
    (ROOT / "artifacts").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "artifacts", prefix="fanout-") as name:
        tools = Path(name)
        for tool in ("wsload", "fanout_floor"):
            subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-o", tools / tool, HERE / "load" / f"{tool}.c"], check=True)
        yield tools


def run(tools):
    headway = measure_headway(tools)
    frames = headway["deliveries"]
    # A frame on the wire: its payload, and four bytes of header between 126 bytes and 64 KiB.
    size = round(headway["payload_bytes"] / frames) + 4
    floor = measured([tools / "fanout_floor", "-n", CLIENTS, "-b", size, "-m", "send", "-d", 4,
                      "-S", SERVER_CORE, "-R", LOAD_CORE])
    plain = measure_plain(tools, size)
    cost = headway["server"]["cpu_ns_per_delivery"]
    return {
        "headway_ns_per_frame": cost, "floor_ns_per_send": floor["cpu_ns_per_delivery"],
        "plain_sender_ns_per_frame": plain["server"]["cpu_ns_per_delivery"],
        "ratio": cost / floor["cpu_ns_per_delivery"], "p50_ms": headway["latency_us"]["p50"] / 1000,
        "p99_ms": headway["latency_us"]["p99"] / 1000, "frames_per_s": headway["deliveries_per_s"],
        "frame_bytes": size, "server_cpu_percent": headway["server"]["cpu_percent"],
        "load_cpu_percent": headway["generator_cpu_percent"], "server_peak_mib": headway["server"]["rss_kib_peak"] / 1024,
        "clients_with_wrong_ends": headway["ends"]["clients_short"] + headway["ends"]["clients_over"],
        "clients_lost": headway["connect_failed"] + headway["disconnected"],
    }


def measure_headway(tools):
    with tempfile.TemporaryDirectory(dir=tools) as place, Server(place, core=SERVER_CORE) as server:
        for number in range(TRANSFERS):
            rate = 1_000_000 + number
            server.call("transfers", {"kind": "demo", "name": f"demo-{number}.bin", "rate": rate, "seed": number,
                                      "total": rate * DEMO_SECONDS})
        return measured([tools / "wsload", "-n", CLIENTS, "--warmup", WARMUP, "-d", DURATION, "--drain", DRAIN,
                         "--time-iso", '"at":"', "--ends", '"type":"complete"', "--expect-ends", TRANSFERS,
                         "--pid", server.pid, server.socket], core=LOAD_CORE)


def measure_plain(tools, size):
    """The same frames by a program that does nothing else; its payload is the frame without its header."""
    sender = subprocess.Popen([sys.executable, HERE / "load" / "plain_sender.py", str(TRANSFERS), str(size - 4)],
                              stdout=subprocess.PIPE, text=True, preexec_fn=pinned(SERVER_CORE))
    try:
        port = int(sender.stdout.readline())
        return measured([tools / "wsload", "-n", CLIENTS, "--warmup", 1, "-d", 5, "--pid", sender.pid,
                         f"ws://127.0.0.1:{port}/"], core=LOAD_CORE)
    finally:
        sender.kill()
        sender.wait()


def measured(command, core=-1):
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          timeout=120, preexec_fn=pinned(core))
    if not done.stdout.strip():
        raise RuntimeError(f"{Path(command[0]).name} ended with {done.returncode} and said nothing")
    return json.loads(done.stdout)
