# SPDX-License-Identifier: Apache-2.0
import re
import time

import pytest

from events import EventViewer
from metrics import Metrics, until
from raw_socket import RawSocket
from viewer import Viewer


def test_families_are_named_by_the_conventions(headway):
    for family in Metrics(headway).families:
        assert re.fullmatch(r"(headway|process)_[a-z_]+", family.name)
        assert family.documentation.endswith("."), family.name
        assert family.type in ("counter", "gauge", "histogram")
        for sample in family.samples:
            assert sample.name.endswith("_total") == (family.type == "counter"), sample.name
            assert sample.value >= 0


def test_each_metric_is_documented(headway, web):
    page = (web.parent / "docs" / "operate.md").read_text("utf-8")
    for family in Metrics(headway).families:
        name = family.name + ("_total" if family.type == "counter" else "")
        assert f"`{name}`" in page, f"{name} is not in docs/operate.md"


def test_no_value_of_a_label_is_from_outside(headway, viewer):
    viewer.made("demo", total=1, rate=1_000_000, name="secretname", group="secretgroup")
    viewer.send("teleport-secret")
    with Viewer(headway, group="secretgroup", kind="secretkind"):
        headway.request("SECRETX", "/secretpath")
        text = headway.request("GET", "/metrics").body.decode()
        assert "secret" not in text and not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-7", text)


def test_histograms_are_whole(headway, viewer):
    viewer.until_complete(viewer.made("demo", total=1, rate=1_000_000))
    metrics = Metrics(headway)
    for family in metrics.families:
        if family.type != "histogram":
            continue
        buckets = [s for s in family.samples if s.name.endswith("_bucket")]
        bounds = [float(s.labels["le"]) for s in buckets]
        assert bounds == sorted(bounds) and bounds[-1] == float("inf")
        counts = [s.value for s in buckets]
        assert counts == sorted(counts) and counts[-1] == metrics(family.name + "_count")
    for name in ("turn", "delivery_latency", "loop_wait", "store_wait"):
        assert metrics(f"headway_{name}_seconds_count") > 0, name
        assert metrics(f"headway_{name}_seconds_sum") > 0, name


def test_transfers_are_counted_by_kind_and_state(fresh, origin):
    headway = fresh()
    open_ = headway.demo(total=10**9, rate=1000).transfer(201)["id"]
    paused = headway.demo(total=10**9, rate=1000).transfer(201)["id"]
    headway.api("POST", f"transfers/{paused}/pause").transfer()
    headway.ended(headway.demo(total=500_000, rate=50_000_000).transfer(201)["id"])
    headway.ended(headway.demo(total=1000, rate=1_000_000, failAt=500).transfer(201)["id"])
    headway.ended(headway.download(origin.url("/file/300000/counted.bin")).transfer(201)["id"])
    headway.api("POST", f"transfers/{open_}/cancel")
    headway.ended(open_)
    # The table is what the last turn made of it.
    metrics = until(headway, lambda m: [m("headway_transfers", kind="demo", state=s) for s in ("paused", "running")] == [1, 0])
    assert metrics("headway_transfers_created_total", kind="demo") == 4
    assert metrics("headway_transfers_created_total", kind="download") == 1
    ended = {o: metrics("headway_transfers_ended_total", kind="demo", outcome=o)
             for o in ("succeeded", "failed", "cancelled")}
    assert ended == {"succeeded": 1, "failed": 1, "cancelled": 1}
    assert metrics("headway_transfers_ended_total", kind="download", outcome="succeeded") == 1
    assert metrics("headway_transfer_bytes_total", kind="download") == 300_000
    assert metrics("headway_transfer_bytes_total", kind="demo") >= 500_500
    assert metrics("headway_admission_wait_seconds_count") == 1
    assert metrics("headway_store_wait_seconds_count") >= 9
    assert metrics("headway_store_commits_total") >= 1


def test_those_who_wait_for_a_place_are_counted(fresh, origin):
    headway = fresh("--max-active", "1")
    for number in range(3):
        headway.download(origin.gated(100_000, f"waits-{number}.bin")).transfer(201)
    until(headway, lambda m: (m("headway_admission_waiting"), m("headway_admission_active"),
                              m("headway_transfers", kind="download", state="queued")) == (2, 1, 2))


def test_connections_and_what_goes_out_are_counted_by_kind(fresh):
    headway = fresh("--heartbeat", "60000")
    with Viewer(headway) as viewer, EventViewer(headway) as stream:
        stream.until_ready()
        viewer.until_ready()
        # Who has just asked for something may not be gone yet.
        metrics = until(headway, lambda m: m("headway_connections", kind="http") == 1)
        assert metrics("headway_connections", kind="websocket") == 1
        assert metrics("headway_connections", kind="events") == 1
        assert metrics("headway_subscriptions") == 2
        id = viewer.made("demo", total=300_000, rate=500_000)
        viewer.until_complete(id)
        stream.until_complete(id)
        metrics = Metrics(headway)
        # The acks are the socket's alone; a heartbeat or two may come between.
        assert metrics("headway_frames_sent_total", kind="websocket") in range(
            len(viewer.probe.frames), len(viewer.probe.frames) + 3)
        assert metrics("headway_frames_sent_total", kind="events") in range(
            len(stream.probe.frames), len(stream.probe.frames) + 3)
        assert metrics("headway_sent_bytes_total", kind="events") > 200 * len(stream.probe.frames) / 2
        assert 0 < metrics("headway_writes_total", kind="events") <= metrics("headway_frames_sent_total", kind="events")
        assert metrics("headway_table_rows") == 1
    until(headway, lambda m: m("headway_connections", kind="websocket") == m("headway_connections", kind="events") == 0)


def test_heartbeats_commands_and_what_made_no_sense_are_counted(fresh):
    headway = fresh()
    with Viewer(headway) as viewer:
        viewer.until_ready()
        for op in ("ping", "ping", "sync", "pace", "watch"):
            assert viewer.ask(op)["ok"]
        assert not viewer.ask("teleport")["ok"]
        viewer.until(lambda f: f["type"] == "heartbeat")
        came = time.monotonic()
        metrics = Metrics(headway)
        counted = {op: metrics("headway_commands_total", op=op) for op in ("ping", "sync", "pace", "watch", "invalid")}
        assert counted == {"ping": 2, "sync": 1, "pace": 1, "watch": 1, "invalid": 1}
        seen = len([f for f in viewer.probe.frames if f["type"] == "heartbeat"])
        assert seen <= metrics("headway_heartbeats_sent_total") <= seen + 1 + (time.monotonic() - came) / 10


def test_each_gate_counts_what_it_turned_away(fresh):
    headway = fresh()
    headway.api("GET", "transfers", headers={"Host": "evil.example"}).problem(421)
    headway.demo(headers={"Origin": "http://evil.example"}).problem(403)
    with RawSocket(headway.port) as peer:
        assert peer.upgrade({"Origin": "http://evil.example"}) == 403
    headway.download("http://10.1.2.3/a").problem(403, "blocked-address")
    headway.api("POST", "transfers", {"kind": "demo", "name": "x" * 70_000}).problem(413)
    with Viewer(headway) as viewer:
        ack = {"ok": True}
        while ack["ok"]:
            # So many at once that one day they are too many, however slow the two are; never a flood.
            for _ in range(30):
                viewer.send("ping")
            acks = [viewer.until(lambda f: f["type"] == "ack") for _ in range(30)]
            ack = next((a for a in acks if not a["ok"]), ack)
        metrics = until(headway, lambda m: m("headway_refused_total", gate="rate") >= 1)
    assert {gate: metrics("headway_refused_total", gate=gate) for gate in ("host", "origin", "address", "size")} == \
        {"host": 1, "origin": 2, "address": 1, "size": 1}


def test_each_cause_of_a_cut_is_counted(fresh):
    headway = fresh()
    with RawSocket(headway.port) as peer:
        assert peer.upgrade() == 101
        peer.text("[]")
        assert peer.close_frame()[0] == 4400
    with RawSocket(headway.port) as peer:
        assert peer.upgrade() == 101
        peer.frame(2, b"{}")
        assert peer.close_frame()[0] == 1003
    with RawSocket(headway.port) as peer:
        assert peer.upgrade() == 101
        # In one piece: between two of them no time passes.
        with peer.together():
            for _ in range(1000):
                peer.text('{"op":"ping","ref":"x"}')
        assert peer.close_frame()[0] == 4429
    metrics = until(headway, lambda m: m("headway_connections", kind="websocket") == 0)
    assert metrics("headway_readers_dropped_total", cause="invalid") == 2
    assert metrics("headway_readers_dropped_total", cause="flood") == 1
    with Viewer(headway) as viewer:
        viewer.until_ready()
    metrics = until(headway, lambda m: m("headway_connections", kind="websocket") == 0)
    assert metrics("headway_readers_dropped_total", cause="silent") == 0, "who leaves is not dropped"


@pytest.mark.long
def test_who_answers_no_ping_and_who_takes_nothing_are_counted(fresh):
    headway = fresh()
    for _ in range(50):
        headway.demo(total=10**12, rate=1_000_000, name="x" * 200).transfer(201)
    with RawSocket(headway.port) as silent, RawSocket(headway.port, receive_buffer=4096) as stopped:
        assert silent.upgrade() == 101
        stopped.head("GET", "/api/v1/events")
        assert stopped.status() == 200
        while silent.next_frame() is not None:
            pass
        metrics = until(headway, lambda m: m("headway_readers_dropped_total", cause="silent") == 1)
        assert metrics("headway_rounds_begun_total") >= 1
        until(headway, lambda m: m("headway_readers_dropped_total", cause="stalled") == 1)


def test_the_process_tells_of_itself(headway):
    metrics = Metrics(headway)
    assert abs(metrics("process_start_time_seconds") - time.time()) < 600
    assert abs(metrics("process_resident_memory_bytes") - headway.resident_bytes()) < 16 << 20
    assert metrics("process_virtual_memory_bytes") > metrics("process_resident_memory_bytes")
    assert 5 < metrics("process_open_fds") < metrics("process_max_fds")
    assert metrics("process_threads") > 5
    assert metrics("process_cpu_seconds_total") > 0
    version = next(s.labels["version"] for f in metrics.families for s in f.samples if s.name == "headway_build_info")
    assert metrics("headway_build_info", version=version) == 1
    with Viewer(headway) as viewer:
        assert viewer.read()[0]["server"] == f"Headway/{version}"


def test_the_gates_hold_for_metrics_too(headway):
    headway.request("GET", "/metrics", headers={"Host": "evil.example"}).problem(421)
    assert headway.request("GET", "/metrics", headers={"Origin": "http://evil.example"}).status == 200, "it only reads"
    assert headway.request("HEAD", "/metrics").status == 200
    assert headway.request("POST", "/metrics").headers["Allow"] == "GET, HEAD"
    headway.request("POST", "/metrics").problem(405)
    assert headway.request("GET", "/metrics").headers["Cache-Control"] == "no-store"
