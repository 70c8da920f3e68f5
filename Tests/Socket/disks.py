# SPDX-License-Identifier: Apache-2.0
"""Disks on which tests put a server: one that lies, by disk_shim.c, and one that is small."""
import os
import pathlib
import shutil
import signal
import subprocess

import pytest

from server import Headway

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    library = tmp_path_factory.mktemp("shim") / "disk_shim.so"
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler, "a C compiler is needed: apt-get install gcc libc6-dev"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "disk_shim.c", "-ldl"], check=True)
    return library


@pytest.fixture
def lying(tmp_path, web, shim):
    """Starts servers over a disk that does as it is told: `lying.rules("sync .part hold 0")`."""
    place = tmp_path / "rules"
    started = []

    class Lying:
        data = tmp_path / "data"

        @staticmethod
        def rules(*lines):
            fresh = place.with_suffix(".new")
            fresh.write_text("".join(line + "\n" for line in lines))
            fresh.rename(place)

        @staticmethod
        def start(*flags):
            environment = {"LD_PRELOAD": str(shim), "HEADWAY_SHIM": str(place)}
            started.append(Headway(Lying.data, web, *flags, environment=environment))
            return started[-1]

    Lying.rules()
    yield Lying
    for server in started:
        server.stop(signal.SIGKILL)


@pytest.fixture
def small(tmp_path, web):
    """A server whose data folder is a disk of 8 MB; `small.fill(n)` leaves n bytes of it free."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("a small disk needs the right to mount one")

    class Small:
        data = place / "data"
        filler = place / "filler"
        servers = []

        def start(self, *flags):
            self.servers.append(Headway(self.data, web, *flags))
            return self.servers[-1]

        def free(self):
            found = os.statvfs(place)
            return found.f_bavail * found.f_frsize

        def fill(self, leaving):
            self.filler.write_bytes(bytes(max(0, self.free() - leaving)))

    small = Small()
    try:
        yield small
    finally:
        for server in small.servers:
            server.stop()
        subprocess.run(["umount", str(place)], check=True)
