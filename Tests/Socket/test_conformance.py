# SPDX-License-Identifier: Apache-2.0
"""The WebSocket edge against the cases of the Autobahn test suite, which kosoku drives, over an echo.

The product takes no binary messages and no long ones, so it can't echo; the echo stands on the same `WebServer`, with other
limits. Left out are how fast it is (9.*) and compression (12.*, 13.*), which is not offered.
"""
import json
import os
import pathlib
import subprocess
import sys
import threading

import pytest

from patience import PATIENCE
from server import BINARY

ECHO = pathlib.Path(os.environ.get("HEADWAY_ECHO_BINARY") or pathlib.Path(BINARY).parent / "EchoServer")
KOSOKU = pathlib.Path(sys.executable).parent / "kosoku"
CASES = 247
FINE = {"OK", "INFORMATIONAL"}


def one_pong_at_least(case):
    """libwebsockets drops a ping that comes while the pong to an earlier one waits for the socket. RFC 6455 §5.5.3 lets
    one pong stand for a burst, though it means the pong to the last of them; nobody who pings once at a time notices."""
    return case["received"] and all(event in case["expected"]["OK"] for event in case["received"])


def the_same_in_another_order(case):
    """A message is written at once, as Headway writes frames, and the library's pong follows with its next turn. RFC 6455
    asks for a pong "as soon as is practical" (§5.5.2), and for no order between it and other messages."""
    return sorted(case["received"]) == sorted(case["expected"]["OK"])


# What is known not to be as the suite wants it, and what has to be true all the same.
KNOWN = {"2.10": one_pong_at_least, "2.11": one_pong_at_least,
         **dict.fromkeys(["5.6", "5.7", "5.8", "5.19", "5.20"], the_same_in_another_order)}


@pytest.fixture
def echo():
    assert ECHO.exists(), f"there is no echo at {ECHO}: `swift build` makes it, or name it in HEADWAY_ECHO_BINARY"
    process = subprocess.Popen([ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    watchdog = threading.Timer(PATIENCE, process.kill)
    watchdog.start()
    said = process.stdout.readline().split()
    watchdog.cancel()
    try:
        assert said[:3] == ["Echo", "is", "at"], said
        yield said[3]
        assert process.poll() is None, "the echo died"
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()


def test_every_case_is_passed_or_known(echo, tmp_path):
    command = [KOSOKU, "-x", "9.*", "-x", "12.*", "-x", "13.*", "-p", "2", "-o", tmp_path, echo]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=6 * PATIENCE)
    index = tmp_path / "index.json"
    assert index.exists(), done.stdout + done.stderr
    [cases] = json.loads(index.read_text()).values()
    assert len(cases) == CASES
    wrong = {name: case for name, case in cases.items()
             if case["behavior"] not in FINE or case["behaviorClose"] not in FINE}
    assert set(wrong) <= set(KNOWN), {name: wrong[name] for name in set(wrong) - set(KNOWN)}
    for name, case in wrong.items():
        # How it closes has to be right everywhere.
        assert case["behaviorClose"] in FINE, case
        told = json.loads((tmp_path / case["reportfile"]).read_text())
        assert KNOWN[name](told), {key: told[key] for key in ("description", "received", "expected")}
