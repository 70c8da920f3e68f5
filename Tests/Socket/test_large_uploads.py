# SPDX-License-Identifier: Apache-2.0
"""Files of three gigabytes, which are holes: every figure is beyond 32 bits, and memory stays where it was."""
import hashlib
import os
import shutil
import subprocess
import threading

import pytest
from tusclient.client import TusClient

from uploads import id_of
from viewer import Viewer

SIZE = 3 << 30
# What a server may need beyond what it had: 4 MiB for one sender, and what its threads have under way.
MOST_MEMORY = 40 << 20


class MemoryWatch:
    """The most that a server had while a file came."""

    def __init__(self, headway):
        self.headway, self.before, self.most = headway, headway.resident_bytes(), 0
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)

    def look(self):
        while not self.ends.wait(0.1):
            self.most = max(self.most, self.headway.resident_bytes())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()


def by_curl(headway, path):
    done = subprocess.run(["curl", "-sS", "-T", str(path), f"{headway.address}/api/v1/uploads/"], capture_output=True,
                          text=True, check=True)
    return id_of(done.stdout)


def by_curl_form(headway, path):
    done = subprocess.run(["curl", "-sS", "-F", f"file=@{path}", f"{headway.address}/api/v1/uploads"],
                          capture_output=True, text=True, check=True)
    return id_of(done.stdout)


def by_tuspy(headway, path):
    uploader = TusClient(f"{headway.address}/api/v1/tus").uploader(
        str(path), chunk_size=256 << 20, metadata={"filename": path.name})
    uploader.upload()
    return id_of(uploader.url)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("client", [by_curl, by_curl_form, by_tuspy], ids=lambda c: c.__name__)
def test_three_gigabytes_arrive_whole_and_cost_no_memory(fresh, tmp_path, client):
    if shutil.disk_usage(tmp_path).free < 2 * SIZE:
        pytest.fail(f"{tmp_path} needs {2 * SIZE} free bytes")
    path = tmp_path / "sparse.bin"
    with open(path, "wb") as file:
        file.truncate(SIZE)
        for offset in (0, (2 << 30) - 3, SIZE - 5):
            file.seek(offset)
            file.write(b"here!")
    headway = fresh()
    with Viewer(headway).until_ready() as viewer, MemoryWatch(headway) as memory:
        id = client(headway, path)
        row = viewer.until_complete(id)
    assert (row["outcome"], row["bytes"], row["total"]) == ("succeeded", SIZE, SIZE)
    shown = [frame["bytes"] for frame in viewer.probe.of(id, "progress")]
    assert max(shown) > 1 << 31 and shown == sorted(shown)
    stored = tmp_path / "data" / "files" / "sparse.bin"
    with open(path, "rb") as left, open(stored, "rb") as right:
        assert hashlib.file_digest(left, "sha256").digest() == hashlib.file_digest(right, "sha256").digest()
    assert memory.most - memory.before < MOST_MEMORY, f"{memory.most - memory.before} bytes more"
    os.unlink(stored)
