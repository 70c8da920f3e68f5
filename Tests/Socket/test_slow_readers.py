# SPDX-License-Identifier: Apache-2.0
import json
import time

import pytest

from events import RawEvents
from frame_probe import FrameProbe
from patience import PATIENCE
from raw_socket import RawSocket
from server import JUDGES_MEMORY
from viewer import Viewer

MEGABYTE = 1 << 20


def moving(headway, count, total=10**12):
    return [headway.demo(total=total, rate=1_000_000, name=f"row {n} " + "x" * 100).transfer(201)["id"]
            for n in range(count)]


def read_all(peer, probe, until):
    end = time.monotonic() + PATIENCE
    while not until(probe):
        assert time.monotonic() < end, "the newest state did not come"
        frame = peer.next_frame()
        assert frame is not None, "it was cut"
        if frame[0] == 1:
            probe.take(frame[1].decode())


def opened(kind, headway):
    """A reader that takes little. It asks at once: who connects and says nothing is not waited for long."""
    peer = kind(headway.port, receive_buffer=4096)
    assert peer.open() in (101, 200)
    return peer


def stopped_readers(headway, seconds):
    """A socket and an event stream that take nothing for so long, while another viewer sees everything; the server's
    growth is measured."""
    ids = moving(headway, 50)
    readers = []
    for kind in (RawSocket, RawEvents):
        readers.append((opened(kind, headway), FrameProbe()))
        read_all(*readers[-1], lambda p: p.is_ready)
    with Viewer(headway) as other:
        other.until_ready()
        settled = headway.resident_bytes()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            other.read()
        grown = headway.resident_bytes() - settled
    assert not JUDGES_MEMORY or grown < 5 * MEGABYTE, f"grown by {grown} bytes"
    return ids, readers


def test_readers_that_wake_after_10_seconds_have_the_newest_state_at_once(fresh):
    check_waking(fresh(), 10)


@pytest.mark.long
def test_readers_that_wake_after_30_seconds_have_the_newest_state_at_once(fresh):
    check_waking(fresh(), 30)


def check_waking(headway, seconds):
    ids, readers = stopped_readers(headway, seconds)
    for peer, probe in readers:
        with peer:
            behind = {id: headway.transfer(id)["bytes"] for id in ids}
            # It is only read at first: checking every frame takes Python longer than the server takes to send them.
            frames, woken = [], time.monotonic()
            while behind:
                frame = peer.next_frame()
                assert frame is not None, "it was cut"
                if frame[0] == 1:
                    frames.append(frame[1].decode())
                    row = json.loads(frames[-1])
                    if row.get("bytes", -1) >= behind.get(row.get("id"), float("inf")):
                        del behind[row["id"]]
            # Some tens of milliseconds on a machine that has nothing else to do; what comes first is what waited.
            assert time.monotonic() - woken < 10, "the newest state took longer than ten seconds"
            for frame in frames:
                probe.take(frame)
            assert len(probe.frames) < 50 * seconds * 10 / 2, "old figures were kept for it"


@pytest.mark.long
def test_a_reader_that_stops_for_90_seconds_is_dropped_and_resumes(fresh):
    headway = fresh()
    ids, [(peer, probe), _] = stopped_readers(headway, 90)
    with peer, pytest.raises(AssertionError, match="it was cut"):
        read_all(peer, probe, lambda p: False)
    with Viewer(headway, probe=probe, epoch=probe.epoch, seq=probe.seq) as back:
        back.until_ready()
        assert set(ids) <= back.probe.table.keys()


@pytest.mark.long
def test_a_peer_that_answers_no_ping_is_gone_within_45_seconds(fresh):
    headway = fresh()
    with RawSocket(headway.port) as peer:
        assert peer.upgrade() == 101
        started = time.monotonic()
        pinged = False
        while (frame := peer.next_frame()) is not None and frame[0] != 8:
            pinged = pinged or frame[0] == 9
        assert pinged
        assert 20 <= time.monotonic() - started <= PATIENCE


@pytest.mark.long
def test_one_that_sends_but_takes_nothing_is_cut(fresh):
    headway = fresh()
    moving(headway, 50)
    with RawSocket(headway.port, receive_buffer=4096) as peer:
        assert peer.upgrade() == 101
        started = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() - started < 2 * PATIENCE:
                peer.text(json.dumps({"op": "ping", "ref": "x"}))
                peer.frame(10, b"")
                time.sleep(1)  # a beat, not a wait: it sends as a browser would
        assert time.monotonic() - started <= 2 * PATIENCE


def test_a_stopped_reader_costs_others_nothing(fresh):
    headway = fresh()
    moving(headway, 20)
    peers = [opened(RawSocket, headway) for _ in range(50)]
    try:
        with Viewer(headway) as viewer:
            viewer.until_ready()
            id = viewer.made("demo", total=1_000_000, rate=500_000)
            last, gap = time.monotonic(), 0
            while not viewer.probe.table.get(id, {}).get("outcome"):
                viewer.until(lambda f: f.get("id") == id)
                gap, last = max(gap, time.monotonic() - last), time.monotonic()
            # A tenth of a second on a machine that has nothing else to do; who stopped is given a minute.
            assert gap < 20
    finally:
        for peer in peers:
            peer.socket.close()


def test_what_waits_for_stopped_readers_is_bounded(fresh):
    headway = fresh()
    moving(headway, 50)
    peers = []
    try:
        with Viewer(headway) as viewer:
            viewer.until_ready()
            peers += [opened((RawSocket, RawEvents)[n % 2], headway) for n in range(100)]
            settled = headway.resident_bytes()
            # Each takes what its own buffers hold, and then its round stands still; figures go on for somebody else.
            before = waiting = [0] * len(peers)
            calm, turns = time.monotonic(), 0
            while time.monotonic() - calm < 2 or turns < 10 or min(waiting) == 0:
                for _ in range(50):
                    viewer.read()
                # One that answers no ping is cut after 45 s: until then it was as full as it was seen.
                waiting = [old if now is None else now for now, old in zip(RawSocket.unsent(peers), before)]
                turns += 1
                if waiting != before:
                    before, calm, turns = waiting, time.monotonic(), 0
            grown = headway.resident_bytes() - settled
    finally:
        for peer in peers:
            peer.socket.close()
    assert min(waiting) > 0, "not all of them were full"
    # libwebsockets holds a rest of 64 KiB at most for each of them: 128 KiB in all.
    assert max(waiting) <= 64 * 1024, f"the kernel holds {max(waiting)} bytes for one"
    assert not JUDGES_MEMORY or grown <= 100 * 64 * 1024 + 4 * MEGABYTE, f"grown by {grown} bytes"
