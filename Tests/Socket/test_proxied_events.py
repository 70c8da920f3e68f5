# SPDX-License-Identifier: Apache-2.0
"""The event stream through nginx, whose buffers would hold back what is small."""
import pytest

from crowd import demos
from events import EventViewer
from metrics import until
from proxy import Proxy

WAYS = ["/unbuffered", "/buffered"]


@pytest.fixture(scope="module")
def proxy(headway, tmp_path_factory):
    proxy = Proxy(headway, tmp_path_factory.mktemp("nginx"))
    yield proxy
    proxy.close()


@pytest.mark.parametrize("way", WAYS)
def test_frames_come_through_as_they_are_made(headway, proxy, way):
    with EventViewer(headway, port=proxy.port, prefix=way, group=f"through {way}") as stream:
        stream.until_ready()
        task = {"kind": "task", "name": "work", "total": 100, "group": f"through {way}"}
        id = headway.api("POST", "transfers", task).transfer(201)["id"]
        stream.until(lambda f: f["type"] == "start" and f["id"] == id)
        # One frame is far smaller than a buffer of nginx: one that waits there waits for those that come behind it, and
        # here nothing does before it has come.
        for step in range(1, 6):
            assert headway.api("PATCH", f"transfers/{id}", {"bytes": step}).status == 200
            stream.until(lambda f: f.get("id") == id and f.get("bytes") == step)
        assert headway.api("PATCH", f"transfers/{id}", {"bytes": 100, "state": "succeeded"}).status == 200
        stream.until_complete(id)


@pytest.mark.parametrize("way", WAYS)
def test_the_last_event_id_comes_through_and_resumes(headway, proxy, way):
    with EventViewer(headway, port=proxy.port, prefix=way) as stream:
        stream.until_ready()
        id = headway.demo(total=400_000, rate=500_000).transfer(201)["id"]
        stream.until(lambda f: f.get("id") == id and f["type"] == "progress")
        probe, last = stream.probe, stream.last_id
    with EventViewer(headway, probe=probe, headers={"Last-Event-ID": last}, port=proxy.port, prefix=way) as back:
        assert back.read()[0]["resumed"]
        back.until_complete(id)


@pytest.mark.parametrize("way", WAYS)
def test_a_filter_and_more_rows_than_one_write_come_through(headway, proxy, way):
    ids = demos(headway, 150, total=10**12, rate=1000, group="many" + way)
    with EventViewer(headway, port=proxy.port, prefix=way, id=ids[:50]) as some, \
            EventViewer(headway, port=proxy.port, prefix=way, group="many" + way) as group:
        assert some.until_ready().probe.table.keys() == set(ids[:50])
        assert group.until_ready().probe.table.keys() == set(ids)


def test_who_leaves_the_proxy_is_gone_here_too(headway, proxy):
    def streams(count):
        until(headway, lambda m: m("headway_connections", kind="events") == count)

    streams(0)
    open_ = [EventViewer(headway, port=proxy.port, prefix="/unbuffered") for _ in range(5)]
    streams(5)
    for stream in open_:
        stream.close()
    streams(0)
