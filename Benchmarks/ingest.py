# SPDX-License-Identifier: Apache-2.0
"""CPU of taking a file of 1 GiB: raw against nginx's WebDAV PUT, a form against raw, beside 5,000 viewers against alone.

A run is: nginx, Headway raw, Headway with a form, Headway raw while 5,000 connections watch a group that isn't there.
Each server is a new one, digests are off, and curl sends. What counts is the server's CPU, all of its threads or
processes, from the first byte until the answer, which comes when the file is durable; nginx does not wait for that.
"""
import contextlib
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from load import LOAD_CORE, tools as load_tools
from machine import ROOT, cpu_seconds_of, peak_mebibytes_of, pinned
from nginx import nginx
from server import Server

SIZE, VIEWERS, LIMIT_SECONDS = 1 << 30, 5_000, 300
LIMITS = [
    ("raw: CPU at most 1.3 × nginx's dav PUT", "raw_to_nginx", "median", 1.3),
    ("a form: CPU at most 1.2 × raw", "form_to_raw", "median", 1.2),
    ("beside 5,000 idle viewers: CPU at most 1.1 × without them", "watched_to_raw", "median", 1.1),
    ("peak memory under 64 MiB, viewers apart", "peak_mib", "each", 63.999),
]


@contextlib.contextmanager
def setting():
    (ROOT / "artifacts").mkdir(exist_ok=True)
    with load_tools("ingest") as tools, tempfile.TemporaryDirectory(dir=ROOT / "artifacts", prefix="ingest-") as name:
        folder = Path(name)
        with open(folder / "file.bin", "wb") as file, open("/dev/urandom", "rb") as random:
            for _ in range(SIZE >> 20):
                file.write(random.read(1 << 20))
        yield folder, tools


def run(given):
    folder, tools = given
    dav = by_nginx(folder)
    raw, peak_raw = by_headway(folder, "-T", str(folder / "file.bin"))
    form, peak_form = by_headway(folder, "-F", f"file=@{folder / 'file.bin'}")
    watched, _ = by_headway(folder, "-T", str(folder / "file.bin"), tools=tools)
    return {"nginx_cpu_s": dav, "raw_cpu_s": raw, "form_cpu_s": form, "watched_cpu_s": watched,
            "raw_to_nginx": raw / dav, "form_to_raw": form / raw, "watched_to_raw": watched / raw,
            "peak_mib": max(peak_raw, peak_form)}


def send(*words):
    done = subprocess.run(["curl", "-sS", "--fail-with-body", "--max-time", str(LIMIT_SECONDS), *words],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, preexec_fn=pinned(LOAD_CORE))
    if done.returncode != 0:
        raise RuntimeError(f"curl ended with {done.returncode}: {done.stdout[-500:]}")
    return done.stdout


def by_headway(folder, *words, tools=None):
    place = folder / "headway"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    with Server(place, "--digest", "none") as server, contextlib.ExitStack() as stack:
        if tools:
            stack.enter_context(viewers(tools, server))
        before = cpu_seconds_of(server.pid)
        send(*words, server.url + "api/v1/uploads/")
        cpu, peak = cpu_seconds_of(server.pid) - before, peak_mebibytes_of(server.pid)
    same(folder, place / "data" / "files" / "file.bin")
    return cpu, peak


@contextlib.contextmanager
def viewers(tools, server):
    """They are all there before the upload begins."""
    before = descriptors(server)
    process = subprocess.Popen(
        [str(tools / "wsload"), "-n", str(VIEWERS), "--ready", '"type":"ready"', "-d", str(LIMIT_SECONDS),
         server.socket + "?group=none"], stdout=subprocess.DEVNULL, preexec_fn=pinned(LOAD_CORE))
    try:
        end = time.monotonic() + 60
        while (joined := descriptors(server) - before) < VIEWERS:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{joined} of {VIEWERS} viewers came")
            time.sleep(0.2)
        yield
    finally:
        process.kill()
        process.wait()


def descriptors(server):
    return sum(1 for _ in Path(f"/proc/{server.pid}/fd").iterdir())


def by_nginx(folder):
    stored = folder / "stored"
    shutil.rmtree(stored, ignore_errors=True)
    (stored / "body").mkdir(parents=True)
    with nginx(folder, stored, more="location / { dav_methods PUT; }", user="user root;",
               body=stored / "body") as (link, process):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        pids = [process.pid, *map(int, children)]
        before = sum(map(cpu_seconds_of, pids))
        send("-T", str(folder / "file.bin"), link)
        cpu = sum(map(cpu_seconds_of, pids)) - before
    same(folder, stored / "file.bin")
    return cpu


def same(folder, path):
    if subprocess.run(["cmp", "-s", folder / "file.bin", path]).returncode != 0:
        raise RuntimeError(f"{path.name} is not what was sent, byte for byte")
    path.unlink()
