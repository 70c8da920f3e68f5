# SPDX-License-Identifier: Apache-2.0
"""CPU of one 1 GiB download with its digest, against `curl -o` and `openssl dgst -sha256` of the same file.

The origin is nginx on this machine. A run is: Headway (a new server each time, so that its peak memory is the run's),
then curl, then openssl. Headway's time is all of its threads, from the order until the file is durable and told.
"""
import contextlib
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from machine import ROOT, cpu_seconds_of, cpu_seconds_to_run, peak_mebibytes_of
from nginx import nginx
from server import Server

SIZE = 1 << 30
LIMIT_SECONDS = 300
LIMITS = [
    ("CPU at most 1.3 × curl + 1.0 × openssl (ratio to that sum at most 1)", "ratio", "median", 1.0),
    ("peak memory at most 64 MiB", "peak_mib", "each", 64.0),
]


@contextlib.contextmanager
def setting():
    (ROOT / "artifacts").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "artifacts", prefix="download-") as name:
        with origin(Path(name)) as link:
            yield Path(name), link


@contextlib.contextmanager
def origin(folder):
    """nginx, with one file of random bytes in `folder`; gives its link."""
    # nginx's worker is nobody's, and has to get in.
    folder.chmod(0o755)
    (folder / "origin").mkdir()
    with open(folder / "origin" / "file.bin", "wb") as file, open("/dev/urandom", "rb") as random:
        for _ in range(SIZE >> 20):
            file.write(random.read(1 << 20))
    with nginx(folder, folder / "origin") as (link, _):
        yield link + "file.bin"


def run(given):
    folder, link = given
    copy = folder / "copy.bin"
    cpu, seconds, peak = headway(folder, link)
    curl = cpu_seconds_to_run(["curl", "-sS", "--max-time", str(LIMIT_SECONDS), "-o", str(copy), link])
    copy.unlink()
    openssl = cpu_seconds_to_run(["openssl", "dgst", "-sha256", str(folder / "origin" / "file.bin")])
    return {"headway_cpu_s": cpu, "curl_cpu_s": curl, "openssl_cpu_s": openssl,
            "ratio": cpu / (1.3 * curl + 1.0 * openssl), "headway_wall_s": seconds, "peak_mib": peak}


def headway(folder, link):
    place = folder / "headway"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    with Server(place) as server:
        before, begin = cpu_seconds_of(server.pid), time.monotonic()
        transfer = server.call("transfers", {"kind": "download", "url": link})
        while transfer["outcome"] is None:
            if time.monotonic() - begin > LIMIT_SECONDS:
                raise RuntimeError(f"the download took longer than {LIMIT_SECONDS} s: {transfer}")
            time.sleep(0.1)
            transfer = server.call("transfers/" + transfer["id"])
        cpu, seconds = cpu_seconds_of(server.pid) - before, time.monotonic() - begin
        if transfer["outcome"] != "succeeded" or transfer["bytes"] != SIZE or not transfer["digest"]:
            raise RuntimeError(f"the download did not succeed: {transfer}")
        peak = peak_mebibytes_of(server.pid)
    same = subprocess.run(["cmp", "-s", folder / "origin" / "file.bin", place / "data" / "files" / "file.bin"])
    if same.returncode != 0:
        raise RuntimeError("the stored file is not the origin's, byte for byte")
    shutil.rmtree(place)
    return cpu, seconds, peak
