# SPDX-License-Identifier: Apache-2.0
"""The duties of tus 1.0.0, played to our server and to another one: where that one differs is written down."""
import contextlib
import re
import socket
import subprocess
import sys

import pytest

import ports
from patience import until
from server import ROOT
from tus_duties import DUTIES, Endpoint


@pytest.mark.parametrize("duty", DUTIES, ids=lambda d: d.name)
def test_ours_fulfils_it(headway, duty):
    assert Endpoint(headway.port, "/api/v1/tus").play(duty) == ""


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """The server of the Python package resumable-upload."""
    folder = tmp_path_factory.mktemp("resumable-upload")
    held = ports.held()
    port = ports.port_of(held)
    with held, open(folder / "log", "wb") as log:
        process = subprocess.Popen([sys.executable, "-m", "resumable_upload", "serve", "--host", "127.0.0.1", "--port",
                                    str(port)], cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        def listens():
            assert process.poll() is None, (folder / "log").read_text()
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return True

        until(listens, (folder / "log").read_text)
        yield Endpoint(port, "/files")
    finally:
        process.kill()
        process.wait()


def test_the_other_one_differs_as_it_is_written_down(other):
    """docs/uploads.md lists the duties in which it does: a table that sees no difference would see none of ours."""
    differs = {duty.name for duty in DUTIES if other.play(duty)}
    listed = re.search(r"<!-- differences -->\n(.*?)<!-- end -->", (ROOT / "docs/uploads.md").read_text("utf-8"), re.S)[1]
    assert differs == set(re.findall(r"^- ([^:\n]+)", listed, re.M))
