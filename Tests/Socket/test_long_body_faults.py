# SPDX-License-Identifier: Apache-2.0
"""Bodies from 64 MiB on that break off, stall, or find no disk: they are announced to be long, and only begun."""
import signal

import pytest

from folders import files, parts
from long_bodies import KILO, LONG, append, post, put
from origin import content
from raw_socket import RawSocket
from uploads import create, head, patch, place, read_answer, reset
from viewer import Viewer


def begun(viewer, name, count):
    """Waits until so many bytes of it came; returns its id."""
    start = viewer.until(lambda f: f["type"] == "start" and f["name"] == name)
    viewer.until(lambda f: f.get("id") == start["id"] and f.get("bytes", 0) >= count)
    return start["id"]


def send_twice(peer, viewer, name, head=b""):
    """What comes first is read by the library, what comes later is not."""
    peer.send(head + content(KILO))
    id = begun(viewer, name, KILO)
    peer.send(content(KILO))
    viewer.until(lambda f: f.get("id") == id and f.get("bytes", 0) == 2 * KILO)
    return id


FORM_HEAD = b'--b\r\nContent-Disposition: form-data; filename="cut.bin"\r\n\r\n'


@pytest.mark.parametrize("way", ["raw", "form"])
@pytest.mark.parametrize("ends", ["reset", "close", "half-close"])
def test_a_sender_that_goes_is_noticed_at_once_and_leaves_nothing(fresh, tmp_path, way, ends):
    headway = fresh()
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head(*(put("cut.bin") if way == "raw" else post(b" " * LONG)))
        id = send_twice(peer, viewer, "cut.bin", b"" if way == "raw" else FORM_HEAD)
        if ends == "half-close":
            peer.socket.shutdown(1)
            assert read_answer(peer).status == 408
        else:
            (reset if ends == "reset" else lambda p: p.socket.close())(peer)
        # Nobody's silence ends it here.
        row = viewer.until_complete(id)
    assert row["outcome"] == "failed" and row["error"]["code"] == "client-disconnected"
    assert row["bytes"] == 2 * KILO
    assert headway.stop() == 0
    assert parts(tmp_path / "data") == [] and files(tmp_path / "data") == set()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, None])
def test_a_resumable_one_goes_on_where_it_was(fresh, number):
    headway, data = fresh(), content(KILO) * 2 + content(LONG - 2 * KILO, b"rest")
    path = place(create(headway, LONG, {"Upload-Metadata": "filename Y3V0LmJpbg=="}))
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head(*append(path, LONG))
        id = path.rsplit("/", 1)[1]
        peer.send(content(KILO))
        viewer.until(lambda f: f.get("id") == id and f.get("bytes", 0) == KILO)
        peer.send(content(KILO))
        viewer.until(lambda f: f.get("id") == id and f.get("bytes", 0) == 2 * KILO)
        if number is None:
            # A newer request ends the one that hangs.
            assert patch(headway, path, 0, b"").headers["Upload-Offset"] == str(2 * KILO)
            assert read_answer(peer).status == 409
        else:
            headway.stop(number)
    headway = headway if number is None else fresh()
    assert head(headway, path).headers["Upload-Offset"] == str(2 * KILO)
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head(*append(path, LONG - 2 * KILO, 2 * KILO))
        peer.send(data[2 * KILO:])
        assert read_answer(peer).status == 204
        row = viewer.until_complete(id)
    assert row["outcome"] == "succeeded" and headway.api("GET", row["href"]).body == data


def test_whoever_is_silent_is_told(fresh):
    # Much longer than what comes first needs to be seen.
    headway = fresh("--upload-silence", "8")
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head(*put("silent.bin"))
        send_twice(peer, viewer, "silent.bin")
        assert read_answer(peer).status == 408


def test_whoever_is_cancelled_or_stopped_is_told(fresh):
    headway = fresh()
    with Viewer(headway).until_ready() as viewer:
        with RawSocket(headway.port) as peer:
            peer.head(*put("cancel.bin"))
            assert viewer.ask("cancel", id=send_twice(peer, viewer, "cancel.bin"))["ok"]
            assert read_answer(peer).status == 409
        with RawSocket(headway.port) as peer:
            peer.head(*put("stop.bin"))
            send_twice(peer, viewer, "stop.bin")
            assert headway.stop() == 0
            assert read_answer(peer).status == 503


def test_a_body_longer_than_its_file_is_refused(headway):
    path = place(create(headway, KILO * 3))
    with RawSocket(headway.port) as peer:
        peer.head(*append(path, LONG))
        peer.send(content(KILO))
        answer = read_answer(peer)
    assert answer.status == 413, answer.body
    assert int(head(headway, path).headers["Upload-Offset"]) <= KILO


def test_a_disk_that_fails_in_the_middle_is_told(lying):
    headway = lying.start()
    with Viewer(headway).until_ready() as viewer, RawSocket(headway.port) as peer:
        peer.head(*put("failed.bin"))
        id = send_twice(peer, viewer, "failed.bin")
        lying.rules("write .part error 28")
        peer.send(content(KILO))
        answer = read_answer(peer)
        assert (answer.status, answer.json["code"]) == (507, "disk-full"), answer.body
        row = viewer.until_complete(id)
    assert (row["outcome"], row["error"]["code"]) == ("failed", "disk-full")
    headway.wait_for(id, lambda _: not parts(lying.data))


@pytest.mark.parametrize("rule", ["write .part short 70000", "write .part interrupt 3"])
def test_short_and_interrupted_writes_lose_nothing(lying, rule):
    headway, data = lying.start(), content(LONG)
    lying.rules(rule)
    with RawSocket(headway.port) as peer:
        peer.head(*put("short.bin"))
        peer.send(data)
        answer = read_answer(peer)
    assert answer.status == 201 and headway.api("GET", answer.json["href"]).body == data
