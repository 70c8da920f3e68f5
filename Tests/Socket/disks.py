# SPDX-License-Identifier: Apache-2.0
"""A disk that does as it is told: disk_shim.c, loaded before the server's libraries."""
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
    """Starts servers over a disk that does as it is told: `lying.rules("sync .part sleep 5")`."""
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
