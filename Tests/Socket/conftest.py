# SPDX-License-Identifier: Apache-2.0
import pytest

from disks import lying, shim, small  # fixtures
from origin import Origin
from server import ROOT, Headway
from viewer import Viewer

# Where several processes share out the files, these begin first: who begins one last is not waited for.
LONGEST = ["test_rates", "test_chaos", "test_faults", "test_disk_faults", "test_slow_readers", "test_works"]


def pytest_addoption(parser):
    parser.addoption("--chaos-seconds", type=float, default=30, help="how long test_chaos.py goes on (30)")
    parser.addoption("--chaos-seed", type=int, default=None, help="what its dice begin with (any)")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


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
    assert not server.report(), server.report()


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
        assert not server.report(), server.report()


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
