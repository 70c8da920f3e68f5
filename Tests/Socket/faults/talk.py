# SPDX-License-Identifier: Apache-2.0
"""Silence, slowness, refusals, and answers that are none."""
import itertools
import time

import ports
from fault_table import fault
from faults.sample import BODY, ETAG, HALF, LENGTH, SIZE, has_failed, is_whole
from scripted_origin import CLOSE, STALL, Wait, head, rest, whole


@fault("O4", "C56")
def silence(world):
    # Long before the connection counts as broken it is told that nothing comes any more.
    began = time.monotonic()
    id = world.begin(world.serve("/silent.bin", [head(200, LENGTH, ETAG), BODY[:65536], STALL]))
    zero = world.viewer.until(lambda f: f.get("id") == id and f.get("rate") == 0)
    assert time.monotonic() - began >= 2
    assert (zero["state"], zero["bytes"], zero["eta"], zero["attempt"]) == ("running", 65536, None, 1)
    world.viewer.ask("cancel", id=id)
    with world.impatient(2500):
        ids = [world.begin(world.serve("/stall.bin", [head(200, LENGTH, ETAG), BODY[:65536], STALL], rest(BODY))),
               world.begin(world.serve("/no-answer.bin", [STALL], whole(BODY)))]
        for id in ids:
            transfer = world.end(id)
            is_whole(world, transfer)
            assert "remote-timeout" in world.reasons(id) or transfer["attempt"] >= 2
    first, second = world.origin.asked_for("/stall.bin")[:2]
    assert second.first_byte == 65536
    assert second.at - first.at >= 2.4


@fault("C28")
def slower_than_anybody_waits_for(world):
    # It goes on for as long as anybody reads.
    drip = itertools.chain([head(200, LENGTH, ETAG)], *((BODY[at:at + 1], Wait(0.05)) for at in range(50_000)))
    with world.impatient(2500):
        id = world.begin(world.serve("/drip.bin", drip, rest(BODY)))
        is_whole(world, world.end(id))
        frames = world.frames(id)
    slow = [f for f in frames if f["attempt"] == 1 and f.get("rate") is not None]
    # What a busy machine lets wait comes at once.
    assert slow and all(0 <= f["rate"] <= 2000 for f in slow)
    # 2^53 − 1 ms is the most that the wire can tell.
    assert all(f["eta"] is None or 0 < f["eta"] < 2**53 for f in slow)
    # 20 bytes a second are below the floor of 100.
    told = [f["note"] for f in frames if f.get("reason") == "remote-timeout"]
    assert not told or "Only " in told[0] and "bytes came in 2 s" in told[0]
    assert 0 < world.origin.asked_for("/drip.bin")[1].first_byte < 50_000


@fault("O6")
def a_head_without_an_end(world):
    flood = [head(200)[:-2], *[b"X-%d: %s\r\n" % (n, b"y" * 1000) for n in range(2000)], CLOSE]
    url = world.serve("/flood.bin", flood)
    # It fails alone: the next one on the same host is none the worse.
    has_failed(world.run(url), "remote-protocol", "not HTTP", "65536")
    assert len(world.origin.asked_for("/flood.bin")) == 1
    is_whole(world, world.run(world.serve("/after-flood.bin", whole(BODY))))
    drip = itertools.chain([head(200)[:-2]], *((b"X: y\r\n", Wait(0.05)) for _ in range(5000)))
    with world.impatient(2500):
        id = world.begin(world.serve("/head-drip.bin", drip, whole(BODY)))
        is_whole(world, world.end(id))
    assert len(world.origin.asked_for("/head-drip.bin")) >= 2


@fault("O16", "C58")
def come_again_later(world):
    later = [head(429, "Retry-After: 1", "Content-Length: 0")]
    id = world.begin(world.serve("/429.bin", later, later, whole(BODY)))
    waiting = world.viewer.until(lambda f: f.get("id") == id and f.get("state") == "retrying")
    assert (waiting["reason"], waiting["rate"]) == ("remote-status", None) and waiting["retryAt"]
    assert "429 Too Many Requests" in waiting["note"]
    transfer = world.end(id)
    is_whole(world, transfer)
    assert transfer["attempt"] == 3
    times = [request.at for request in world.origin.asked_for("/429.bin")]
    assert all(0.99 <= after - before for before, after in zip(times, times[1:])), times


@fault("O17", "C60")
def a_status_that_brings_no_file(world):
    page = b"<h1>not here</h1>"
    finals = [400, 401, 403, 404, 410, 451]
    passing = [408, 425, 429, 500, 502, 503, 504]
    said = {status: [head(status, f"Content-Length: {len(page)}"), page] for status in finals + passing}
    ids = {status: world.begin(world.serve(f"/status-{status}.bin", said[status], whole(BODY)))
           for status in finals + passing}
    for status in finals:
        transfer = world.end(ids[status])
        has_failed(transfer, "remote-status", str(status))
        assert (transfer["bytes"], transfer["error"]["remoteStatus"]) == (0, status)
        assert len(world.origin.asked_for(f"/status-{status}.bin")) == 1
    for status in passing:
        is_whole(world, world.end(ids[status]))
        assert len(world.origin.asked_for(f"/status-{status}.bin")) == 2
    names = [p.name for p in (world.folder / "data/files").iterdir()]
    assert not any(f"status-{status}" in name for status in finals for name in names)
    # One that never recovers is given up, and says how it answered.
    always = world.run(world.serve("/status-500-always.bin", said[500]))
    has_failed(always, "remote-status", "500 Internal Server Error", "4 times in a row")
    assert len(world.origin.asked_for("/status-500-always.bin")) == 4


@fault("O19")
def no_http(world):
    for number, said in enumerate((b"\x00\xff\x13garbage no http at all\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n")):
        path = f"/garbage-{number}.bin"
        has_failed(world.run(world.serve(path, [said, CLOSE])), "remote-protocol", "not HTTP")
        # Once more if it might have been what an answer before had left on the connection.
        assert len(world.origin.asked_for(path)) <= 2


@fault("O15")
def redirects_that_lead_nowhere(world):
    def to(place):
        return [head(302, f"Location: {place}", "Content-Length: 0")]
    has_failed(world.run(world.serve("/loop", to("/loop?secret=s3cr3t"))), "remote-protocol", "don't end", "/loop")
    for name, place, code in (("file", "file:///etc/hostname", "unsupported-url"),
                              ("gopher", "gopher://127.0.0.1:1/x", "unsupported-url"),
                              ("meta", "http://169.254.169.254/latest/meta-data/", "blocked-address"),
                              ("local6", "http://[::1]:1/x", "blocked-address"),
                              ("nonsense", "http://[nonsense/x", "unsupported-url")):
        transfer = world.run(world.serve(f"/to-{name}?key=s3cr3t", to(place)))
        has_failed(transfer, code, f"/to-{name}?key=***")
        assert "s3cr3t" not in str(transfer)
        assert len(world.origin.asked_for(f"/to-{name}")) == 1


@fault("O21")
def nobody_there(world):
    with ports.held() as nobody:
        port = ports.port_of(nobody)
        ids = [world.begin(f"http://127.0.0.1:{port}/refused.bin"), world.begin("http://headway.invalid/no-name.bin")]
        refused, unnamed = (world.end(id) for id in ids)
    has_failed(refused, "remote-unreachable", str(port), "4 times in a row")
    has_failed(unnamed, "remote-unreachable", "headway.invalid")
    # A name with several addresses, the first of which nobody answers: the next one does.
    is_whole(world, world.run(world.serve("/by-name.bin", whole(BODY), host="localhost")))


@fault("C62")
def the_address_to_use_is_told(world):
    # The line that it prints at the start names an address that answers, as a number.
    assert world.headway.address == f"http://127.0.0.1:{world.headway.port}"
    assert world.headway.request("GET", "/healthz").status == 200
