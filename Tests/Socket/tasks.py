# SPDX-License-Identifier: Apache-2.0
"""Tasks as others see them, by the name that they were given, and a server that waits for their reports not long."""
import pytest

from patience import until
from server import Headway


@pytest.fixture(scope="module")
def impatient(tmp_path_factory, web):
    """A server that counts a task as interrupted after a second."""
    server = Headway(tmp_path_factory.mktemp("impatient"), web, "--task-lease", "1")
    yield server
    assert server.stop() == 0, "".join(server.log)


def named(headway, name):
    transfers = [t for t in headway.api("GET", "transfers").json["transfers"] if t["name"] == name]
    assert len(transfers) == 1, transfers
    return transfers[0]


def until_listed(headway, name, what):
    until(lambda: any(t["name"] == name and what(t) for t in headway.api("GET", "transfers").json["transfers"]),
          f"{name} did not come")


def ended(headway, name):
    return headway.ended(named(headway, name)["id"])
