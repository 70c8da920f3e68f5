# SPDX-License-Identifier: Apache-2.0
import pytest

from origin import Origin
from server import ROOT, Headway
from viewer import Viewer


@pytest.fixture(scope="session")
def web():
    return ROOT / "web"


@pytest.fixture(scope="module")
def headway(tmp_path_factory, web):
    """One server for a file of tests; each test makes transfers of its own."""
    server = Headway(tmp_path_factory.mktemp("data"), web)
    yield server
    assert server.process.poll() is None, f"the server died: {''.join(server.log)}"
    assert server.stop() == 0, "".join(server.log)


@pytest.fixture
def fresh(tmp_path, web):
    """Makes servers over one data folder, one after the other: for tests that stop them or count on an empty table."""
    started = []

    def start(*flags):
        started.append(Headway(tmp_path / "data", web, *flags))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def origin():
    served = Origin()
    yield served
    served.close()


@pytest.fixture
def viewer(headway):
    """A viewer that has the whole table."""
    with Viewer(headway) as viewer:
        yield viewer.until_ready()
