# SPDX-License-Identifier: Apache-2.0
"""A source, targets and a server that tries again soon, for tests of what is fetched and pushed in one."""
import pytest

from scripted_origin import ScriptedOrigin, Wait, head
from server import Headway
from sink import a_sink

HASTY = ["--retry-attempts", "3", "--retry-first", "20", "--retry-limit", "80"]


@pytest.fixture(scope="module")
def hasty(tmp_path_factory, web):
    server = Headway(tmp_path_factory.mktemp("relays"), web, *HASTY)
    yield server
    assert server.stop() == 0, "".join(server.log)
    assert not server.report(), server.report()


@pytest.fixture
def sink():
    with a_sink() as sink:
        yield sink


@pytest.fixture
def source():
    served = ScriptedOrigin()
    yield served
    served.close()


def paced(body, rate, *lines, framed=True):
    """An answer at so many bytes a second, in pieces of a fiftieth of a second."""
    step = rate // 50
    pieces = [head(200, f"Content-Length: {len(body)}", *lines)] if framed else [head(200, "Transfer-Encoding: chunked")]
    for at in range(0, len(body), step):
        piece = body[at:at + step]
        pieces += [piece if framed else b"%x\r\n%s\r\n" % (len(piece), piece), Wait(0.02)]
    return pieces if framed else [*pieces, b"0\r\n\r\n"]


def order(headway, **more):
    return headway.api("POST", "transfers", {"kind": "push", **more})


def relay(headway, source, url, **more):
    return order(headway, **{"from": source, "url": url}, **more)
