# SPDX-License-Identifier: Apache-2.0
"""The load generator, and the broadcasters that it measures: Headway, the floor and the peers, each on the server's core.

All are measured in one way: they send the same number of frames of the same size at the same pace to the same number of
clients, and what counts is their CPU time, user and system, by /proc.
"""
import concurrent.futures
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import LOAD_CORE, ROOT, SERVER_CORE, pinned, raise_open_files
from server import Server

HERE = Path(__file__).resolve().parent / "load"
# Where scripts/bench puts the Python packages of the peers.
PYTHON = ROOT / "artifacts" / "bench" / "venv" / "bin" / "python"
NATS = 'listen: "127.0.0.1:-1"\nwebsocket {{ listen: "127.0.0.1:-1", no_tls: true }}\nports_file_dir: "{folder}"\n'


@contextlib.contextmanager
def tools(name):
    """A folder with the programs in load/, made and thrown away."""
    raise_open_files()
    (ROOT / "artifacts").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "artifacts", prefix=name + "-") as folder:
        folder = Path(folder)
        for tool, sources in {"wsload": (HERE / "wsload").glob("*.c"), "fanout_floor": [HERE / "fanout_floor.c"]}.items():
            subprocess.run(["gcc", "-O2", "-flto", "-Wall", "-Wextra", "-o", folder / tool, *sources], check=True)
        yield folder


def measured(command, core=-1, limit=180):
    """Runs a program that prints one line of JSON, and reads that."""
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          timeout=limit, preexec_fn=pinned(core))
    if not done.stdout.strip():
        raise RuntimeError(f"{Path(command[0]).name} ended with {done.returncode} and said nothing")
    return json.loads(done.stdout)


def wsload(tools, url, pid, *options):
    return measured([tools / "wsload", "--pid", pid, *options, url], core=LOAD_CORE)


@contextlib.contextmanager
def headway(tools, demos=0, seconds=3600, demo=None, flags=()):
    """A server in which so many demos run, each for so long."""
    with tempfile.TemporaryDirectory(dir=tools) as place, Server(place, *flags, core=SERVER_CORE) as server:
        start_demos(server, demos, seconds, **(demo or {}))
        yield server


def start_demos(server, count, seconds=3600, **more):
    """Their ids; many are asked for side by side, so that the store commits them together."""
    def start(numbers):
        with server.connection() as connection:
            return [connection.call("transfers", {"kind": "demo", "name": f"demo-{number:05}.bin", "rate": 1_000_000 + number,
                                                  "seed": number, "total": (1_000_000 + number) * seconds, **more})["id"]
                    for number in numbers]

    lanes = max(1, min(32, count // 20))
    with concurrent.futures.ThreadPoolExecutor(lanes) as pool:
        return [id for ids in pool.map(start, [range(lane, count, lanes) for lane in range(lanes)]) for id in ids]


def frame_bytes(document):
    """A frame on the wire: its payload, and four bytes of header between 126 bytes and 64 KiB."""
    return round(document["payload_bytes"] / document["deliveries"]) + 4


def plain_sender(tools, frames, size, *options, greeting=0):
    """The floor: a program that only sends. A frame's `size` is that on the wire, its 4 bytes of header included."""
    with child([sys.executable, HERE / "plain_sender.py", frames, size - 4, greeting]) as (process, line):
        return wsload(tools, f"ws://127.0.0.1:{int(line)}/", process.pid, *options)


def uws(tools, frames, size, *options, greeting=0):
    """µWebSockets through socketify: a publish for each frame, all those of a tick in one read."""
    with child([PYTHON, HERE / "uws_server.py", greeting, size - 4]) as (process, line):
        return wsload(tools, f"ws://127.0.0.1:{int(line)}/frames", process.pid, "--publish", f"paced:10x{frames}",
                      "--publish-path", "/publish", "--publish-size", size - 4, *options)


def nats(tools, frames, size, *options):
    """nats-server over its WebSocket; its frames hold some 20 bytes more, its own header."""
    with tempfile.TemporaryDirectory(dir=tools) as folder:
        config = Path(folder) / "nats.conf"
        config.write_text(NATS.format(folder=folder))
        with child(["nats-server", "-c", config], reads_line=False) as (process, _):
            ports = json.loads(wait_for_text(Path(folder) / f"nats-server_{process.pid}.ports", process))
            return wsload(tools, ports["websocket"][0].replace("http://", "ws://") + "/", process.pid, "--binary",
                          "--hello", r'CONNECT {"verbose":false,"pedantic":false}\r\nSUB f 1\r\n', "--publish",
                          f"paced:10x{frames}", "--publish-size", size - 4, "--publish-prefix",
                          rf"PUB f {size - 4}\r\n", "--publish-suffix", r"\r\n", *options)


@contextlib.contextmanager
def child(command, reads_line=True):
    """A broadcaster on the server's core; most say their port in their first line."""
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, text=True,
                               stdout=subprocess.PIPE if reads_line else subprocess.DEVNULL,
                               stderr=None if reads_line else subprocess.DEVNULL, preexec_fn=pinned(SERVER_CORE))
    try:
        yield process, process.stdout.readline() if reads_line else ""
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def wait_for_text(path, process):
    for _ in range(400):
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError):
            if text := path.read_text():
                return text
        time.sleep(0.025)
    raise RuntimeError(f"{process.args[0]} did not start")
