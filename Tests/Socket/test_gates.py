# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from raw_socket import RawSocket
from viewer import Viewer

EVIL = ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "http://127.0.0.1.evil.example"]


def test_no_origin_and_our_own_are_let_in(headway):
    for headers in ({}, {"Origin": headway.address}):
        with Viewer(headway, headers=headers) as viewer:
            viewer.until_ready()


@pytest.mark.parametrize("origin", EVIL)
def test_another_origin_gets_no_socket(headway, origin):
    with RawSocket(headway.port) as peer:
        assert peer.upgrade({"Origin": origin}) == 403


@pytest.mark.parametrize("origin", EVIL)
def test_another_origin_gets_no_stream_and_changes_nothing(headway, origin):
    headers = {"Origin": origin}
    headway.api("GET", "events", headers=headers).problem(403, "forbidden")
    headway.demo(total=1, headers=headers).problem(403, "forbidden")
    id = headway.demo(total=1, rate=1_000_000).transfer(201)["id"]
    headway.ended(id)
    headway.api("DELETE", f"transfers/{id}", headers=headers).problem(403, "forbidden")
    headway.api("POST", f"transfers/{id}/retry", headers=headers).problem(403, "forbidden")
    headway.transfer(id)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example",
                                  "[::1", "a b"])
def test_another_host_is_misdirected(headway, host):
    for path in ("/", "/api/v1/transfers", "/healthz"):
        with RawSocket(headway.port) as peer:
            peer.head("GET", path, host=host)
            assert peer.status() in ((421,) if " " not in host and host != "[::1" else (400, 421))
    with RawSocket(headway.port) as peer:
        assert peer.upgrade(host=host) in (400, 421)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:{port}", "127.0.0.1:{port}", "[::1]:{port}", "192.0.2.7"])
def test_right_hosts(headway, host):
    with RawSocket(headway.port) as peer:
        peer.head("GET", "/healthz", host=host.format(port=headway.port))
        assert peer.status() == 200


def test_a_private_address_is_refused_at_once(headway):
    for url in ("http://10.1.2.3/a", "http://169.254.169.254/latest", "http://[fe80::1]/a", "http://192.168.0.1/"):
        problem = headway.download(url).problem(403, "blocked-address")
        assert problem["detail"]


@pytest.mark.parametrize("payload,code", [
    (b"[]", 4400), (b"7", 4400), (b"nonsense", 4400), (b"", 4400), (b'{"op":', 4400), (b'{"a":"\xff"}', 1007),
    (b"\xc3", 1007), (b"[" * 5000, 4400),
])
def test_what_is_no_object_closes(headway, payload, code):
    with RawSocket(headway.port) as peer:
        assert peer.upgrade() == 101
        peer.text(payload)
        got, reason = peer.close_frame()
        assert got == code and reason


def test_binary_closes(headway):
    with RawSocket(headway.port) as peer:
        assert peer.upgrade() == 101
        peer.frame(2, b"{}")
        code, reason = peer.close_frame()
        assert code == 1003 and reason


def test_a_message_over_the_limit_closes(headway):
    with RawSocket(headway.port) as peer:
        assert peer.upgrade() == 101
        peer.text(json.dumps({"op": "ping", "ref": "fits", "pad": "x" * 16_000}))
        while b'"fits"' not in peer.next_frame()[1]:
            pass
        peer.text(json.dumps({"op": "ping", "ref": "a", "pad": "x" * 17_000}))
        code, reason = peer.close_frame()
        assert code == 1009 and reason


def test_pieces_of_a_message_over_the_limit_close(headway):
    with RawSocket(headway.port) as peer:
        assert peer.upgrade() == 101
        peer.frame(1, b"x" * 9000, fin=False)
        peer.frame(0, b"x" * 9000, fin=False)
        assert peer.close_frame()[0] == 1009


def test_a_message_in_pieces_is_one_message(headway):
    with RawSocket(headway.port) as peer:
        assert peer.upgrade() == 101
        peer.frame(1, b'{"op":"pi', fin=False)
        peer.frame(9, b"between")
        peer.frame(0, b'ng","ref":"p"}')
        seen = []
        while (10, b"between") not in seen or not any(b'"ref":"p"' in payload for _, payload in seen):
            seen.append(peer.next_frame())


@pytest.mark.parametrize("abuse", ["reserved opcode", "reserved bit", "endless length", "fragmented ping", "lone rest"])
def test_a_broken_peer_is_closed_and_nobody_else(headway, viewer, abuse):
    with RawSocket(headway.port) as peer:
        assert peer.upgrade() == 101
        if abuse == "reserved opcode":
            peer.frame(3, b"x")
        elif abuse == "reserved bit":
            peer.send(b"\xf1\x80\x00\x00\x00\x00")
        elif abuse == "endless length":
            peer.send(b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00")
        elif abuse == "fragmented ping":
            peer.frame(9, b"x", fin=False)
        else:
            peer.frame(0, b"x")
        closed = peer.close_frame()
        assert closed is None or closed[0] in (1002, 1007, 1009)
    assert viewer.ask("ping")["ok"]


@pytest.mark.parametrize("junk", [b"\x00" * 100, b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"A" * 70_000,
                                  b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                                  b"GET /a%00b HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_junk_is_cut_and_nobody_else(headway, viewer, junk):
    with RawSocket(headway.port) as peer:
        try:
            peer.send(junk)
            peer.socket.settimeout(1)
            peer.socket.recv(4096)
        except OSError:
            pass
    assert viewer.ask("ping")["ok"]
