# SPDX-License-Identifier: Apache-2.0
import pytest

from events import EventViewer
from viewer import Viewer


def test_the_stream_tells_the_same_frames(headway):
    with EventViewer(headway) as stream, Viewer(headway) as viewer:
        stream.until_ready()
        viewer.until_ready()
        id = viewer.made("demo", total=300_000, rate=500_000)
        viewer.until_complete(id)
        stream.until_complete(id)
        bare = [[{k: v for k, v in f.items() if k != "seq"} for f in probe.of(id)]
                for probe in (stream.probe, viewer.probe)]
        assert bare[0] == bare[1]


def test_the_last_event_id_resumes_and_beats_the_query(headway):
    with EventViewer(headway) as stream:
        stream.until_ready()
        id = headway.demo(total=300_000, rate=500_000).transfer(201)["id"]
        stream.until(lambda f: f.get("id") == id and f["type"] == "progress")
        probe, last = stream.probe, stream.last_id
    headers = {"Last-Event-ID": last}
    with EventViewer(headway, probe=probe, headers=headers, epoch="nonsense", seq=1) as back:
        assert back.read()[0]["resumed"]
        back.until_complete(id)


def test_the_query_resumes(headway):
    id = headway.demo(total=1, rate=1_000_000).transfer(201)["id"]
    with EventViewer(headway) as stream:
        # HTTP may be ahead of the turn, and where nothing was told there is nothing to go on from.
        stream.until_complete(id)
        probe = stream.probe
    with EventViewer(headway, probe=probe, epoch=probe.epoch, seq=probe.seq) as back:
        assert back.read()[0]["resumed"]


@pytest.mark.parametrize("id", ["nonsense", "", ":", "a:b", "a:-1", "x" * 400, "a:99999999999999999999999"])
def test_a_bogus_last_event_id_is_a_fresh_start(headway, id):
    with EventViewer(headway, headers={"Last-Event-ID": id}) as stream:
        assert not stream.read()[0]["resumed"]


def test_a_filter_holds_on_the_stream(headway):
    with EventViewer(headway, group="streamed") as stream:
        stream.until_ready()
        other = headway.demo(total=1, rate=1_000_000).transfer(201)["id"]
        mine = headway.demo(total=1, rate=1_000_000, group="streamed").transfer(201)["id"]
        stream.until_complete(mine)
        assert not stream.probe.of(other)


def test_the_stream_is_not_cached_nor_buffered(headway):
    with EventViewer(headway) as stream:
        assert "no-cache" in stream.response.headers["Cache-Control"] or \
            "no-store" in stream.response.headers["Cache-Control"]
        assert stream.response.headers["X-Accel-Buffering"] == "no"


def test_a_stream_is_only_read(headway):
    answer = headway.api("POST", "events", {})
    answer.problem(405)
    assert "GET" in answer.headers["Allow"]
