# SPDX-License-Identifier: Apache-2.0
"""Bodies from 64 MiB on, which are read past libwebsockets: whole, whatever their packets are like."""
import base64
import hashlib
import random
import time

import pytest

from folders import files, parts
from long_bodies import KILO, LONG, append, file_part, post, put
from origin import content
from raw_socket import RawSocket
from uploads import create, form, place, read_answer
from viewer import Viewer


def send_in_bits(peer, body, seed):
    """Packets of all sizes, the first ones and the last ones small; now and then a pause."""
    dice, at, view = random.Random(seed), 0, memoryview(body)
    while at < len(body):
        is_edge = at < 2000 or len(body) - at < 2000
        size = dice.randint(1, 700) if is_edge else dice.choice([1460, 70_000, 3_000_000])
        peer.send(view[at:at + size])
        at += size
        if is_edge or dice.random() < 0.02:
            time.sleep(0.001)


@pytest.mark.parametrize("flags", [(), ("--digest", "none")], ids=["digest", "no-digest"])
def test_all_ways_bring_it_whole(fresh, flags):
    headway, data = fresh(*flags), content(LONG)
    made = place(create(headway, LONG, {"Upload-Metadata": "filename dHVzLmJpbg=="}))
    checksum = "sha1 " + base64.b64encode(hashlib.sha1(data).digest()).decode()
    shape = form("b", file_part("form.bin", data))
    ways = [(put("raw.bin"), data, 201), (post(shape), shape, 201),
            (append(made, LONG, **{"Upload-Checksum": checksum}), data, 204)]
    with Viewer(headway).until_ready() as viewer:
        for seed, (request, body, status) in enumerate(ways):
            with RawSocket(headway.port) as peer:
                peer.head(*request)
                send_in_bits(peer, body, seed)
                answer = read_answer(peer)
                assert (answer.status, answer.headers["connection"]) == (status, "close"), answer.body
                assert peer.socket.recv(1) == b""
            name = ("raw.bin", "form.bin", "tus.bin")[seed]
            row = viewer.until(lambda f: f["type"] == "complete" and f["name"] == name)
            assert (row["outcome"], row["bytes"], row["total"]) == ("succeeded", LONG, LONG)
            assert headway.api("GET", row["href"]).body == data


def test_a_form_of_several_files_between_fields_is_cut_where_it_has_to_be(fresh):
    headway = fresh()
    first, second = content(LONG, b"first"), content(KILO, b"second")
    field = (['Content-Disposition: form-data; name="note"'], b"x" * 60_000)
    # The preamble is longer than what one read brings, so no file is open when the rest is read from the socket.
    body = b"p" * 700_000 + b"\r\n" + form("b", field, file_part("one.bin", first), field, file_part("two.bin", second),
                                          field, file_part("none.bin", b""))
    with Viewer(headway).until_ready(), RawSocket(headway.port) as peer:
        peer.head(*post(body))
        send_in_bits(peer, body, 7)
        answer = read_answer(peer)
    assert answer.status == 201, answer.body
    stored = {file["name"]: headway.api("GET", file["href"]).body for file in answer.json["files"]}
    assert stored == {"one.bin": first, "two.bin": second, "none.bin": b""}


def test_a_form_that_is_none_is_told_so(fresh, tmp_path):
    headway = fresh()
    body = form("b", file_part("cut.bin", content(LONG)))[:-4] + b"????"
    with RawSocket(headway.port) as peer:
        peer.head(*post(body))
        peer.send(body)
        answer = read_answer(peer)
    assert answer.status == 400 and "closing delimiter" in answer.json["detail"]
    assert headway.stop() == 0
    assert parts(tmp_path / "data") == [] and files(tmp_path / "data") == set()


def test_the_others_are_not_kept_waiting(fresh):
    """While a long one comes as fast as it can, a short one comes through beside it."""
    headway = fresh()
    with Viewer(headway).until_ready(), RawSocket(headway.port) as peer:
        peer.head(*put("long.bin", 4 * LONG))
        block = content(1 << 20)
        for round in range(64):
            peer.send(block)
            if round % 16 == 0:
                assert headway.api("PUT", f"uploads/short-{round}.bin", content(KILO)).status == 201
        assert headway.api("GET", "transfers").status == 200
