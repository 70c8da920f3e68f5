# SPDX-License-Identifier: Apache-2.0
"""Going on where it was: never two versions in one file."""
import signal
import threading

from fault_table import fault
from faults.sample import BODY, CHUNKED, ETAG, HALF, LENGTH, SIZE, digest, has_failed, is_whole
from patience import until
from scripted_origin import CLOSE, Wait, chunks, head, held, rest, whole
from viewer import Viewer

CUT = [head(200, LENGTH, ETAG), BODY[:HALF], CLOSE]
# Half a second passes before the first figure: half a megabyte that comes all at once, because the machine is busy, makes
# no more than this. The 4.5 MB that were kept would make 9 MB/s.
MOST_RATE = 2_000_000


def slow_rest(body, kept, gate):
    """What is behind `kept` at 250 kB a second, but for its end, which waits for the gate."""
    steps = [step for at in range(kept, len(body) - 25_000, 25_000) for step in (body[at:at + 25_000], Wait(0.1))]
    return [*steps, gate, body[-25_000:]]


@fault("O11", "C33", "C19")
def everything_instead_of_the_rest(world):
    gate = threading.Event()
    slow = [head(200, LENGTH, ETAG), BODY[:1000], gate, BODY[1000:]]
    id = world.begin(world.serve("/no-ranges.bin", CUT, whole(BODY, ETAG), slow))
    frame = world.viewer.until(lambda f: f.get("id") == id and f.get("bytes") == 1000)
    assert (frame["reason"], frame["state"]) == ("interrupted", "running")
    assert "started again from 0" in frame["note"]
    gate.set()
    transfer = world.end(id)
    is_whole(world, transfer)
    # Once: the second of the whole answers is taken.
    assert [r.first_byte for r in world.origin.asked_for("/no-ranges.bin")] == [0, HALF, 0]
    assert transfer["attempt"] == 3


@fault("O12", "C37")
def another_version_under_the_same_link(world):
    second = BODY[::-1]
    gate = threading.Event()
    id = world.begin(world.serve("/changed.bin", CUT, held(gate, second, 'ETag: "v2"')))
    world.seen(id, "source-changed")
    gate.set()
    is_whole(world, world.end(id), second)
    assert world.origin.asked_for("/changed.bin")[1].headers["if-range"] == '"v1"'
    # One that ignores If-Range and sends the rest of the other version is found out by its ETag.
    url = world.serve("/changed-2.bin", CUT, [
        head(206, f"Content-Range: bytes {HALF}-{SIZE - 1}/{SIZE}", f"Content-Length: {SIZE - HALF}", 'ETag: "v2"'),
        second[HALF:]], whole(second, 'ETag: "v2"'))
    is_whole(world, world.run(url), second)


@fault("O13", "C35")
def nothing_behind_what_is_there(world):
    # All of it came, but not the chunk that says so.
    cut = [head(200, CHUNKED, ETAG), *chunks(BODY, 65536), CLOSE]
    url = world.serve("/at-end.bin", cut, rest(BODY))
    transfer = world.run(url, checksum=digest(BODY))
    is_whole(world, transfer)
    assert [r.first_byte for r in world.origin.asked_for("/at-end.bin")] == [0, SIZE]
    # It is verified all the same.
    url = world.serve("/at-end-2.bin", cut, rest(BODY))
    has_failed(world.run(url, checksum=digest(b"")), "checksum-mismatch")
    # The file is another one by now: from 0.
    gate = threading.Event()
    url = world.serve("/at-end-3.bin", cut, [head(416, "Content-Range: bytes */7", "Content-Length: 0")],
                      [head(200, "Content-Length: 7"), b"short", gate, b"er"])
    id = world.begin(url)
    world.seen(id, "source-changed")
    gate.set()
    is_whole(world, world.end(id), b"shorter")


@fault("C34")
def a_part_that_begins_elsewhere(world):
    def elsewhere(request):
        first = request.first_byte - 10
        return [head(206, f"Content-Range: bytes {first}-{SIZE - 1}/{SIZE}", f"Content-Length: {SIZE - first}", ETAG),
                BODY[first:]]
    gate = threading.Event()
    id = world.begin(world.serve("/elsewhere.bin", CUT, elsewhere, held(gate, BODY)))
    world.seen(id, "remote-protocol")
    gate.set()
    is_whole(world, world.end(id))
    # One that does not say where it begins is none.
    url = world.serve("/nowhere.bin", CUT, [head(206, f"Content-Length: {HALF}", ETAG), BODY[HALF:]])
    has_failed(world.run(url), "remote-protocol", "without saying which")


@fault("C36")
def a_length_that_changes(world):
    gate = threading.Event()
    url = world.serve("/varies.bin", CUT, [head(206, f"Content-Range: bytes {HALF}-{SIZE - 11}/{SIZE - 10}",
                                                f"Content-Length: {SIZE - 10 - HALF}", ETAG), BODY[HALF:-10]],
                      [head(200, f"Content-Length: {SIZE - 10}", ETAG), BODY[:1000], gate, BODY[1000:-10]])
    id = world.begin(url)
    world.viewer.until_row(id, lambda row: any(
        str(SIZE) in f["note"] and str(SIZE - 10) in f["note"] for f in world.frames(id) if f.get("note")))
    gate.set()
    is_whole(world, world.end(id), BODY[:-10])


@fault("C38")
def a_validator_that_is_never_the_same(world):
    numbers, gate = iter(range(100)), threading.Event()

    def any_etag(request):
        return held(gate, BODY, f'ETag: "{next(numbers)}"')
    id = world.begin(world.serve("/restless.bin", CUT, any_etag))
    world.seen(id, "source-changed")
    gate.set()
    is_whole(world, world.end(id))
    assert len(world.origin.asked_for("/restless.bin")) == 3


@fault("C41")
def an_error_page_in_the_middle(world):
    def second_half(request):
        assert request.first_byte == HALF
        end = HALF + 1000
        return [head(206, f"Content-Range: bytes {HALF}-{SIZE - 1}/{SIZE}", f"Content-Length: {SIZE - HALF}", ETAG),
                BODY[HALF:end], CLOSE]
    busy = [head(503, "Content-Length: 5"), b"error"]
    transfer = world.run(world.serve("/page-inside.bin", CUT, busy, second_half, rest(BODY)))
    is_whole(world, transfer)


@fault("C39", "C51", "C22")
def killed_in_the_middle(world):
    size, kept = 5_000_000, 4_500_000
    body = (BODY * 5)[:size]
    gate, end_gate = threading.Event(), threading.Event()
    slowly = slow_rest(body, kept, end_gate)
    url = world.serve(
        "/killed.bin", [head(200, f"Content-Length: {size}", ETAG), body[:kept], gate],
        [head(206, f"Content-Range: bytes {kept}-{size - 1}/{size}", f"Content-Length: {size - kept}", ETAG), *slowly])
    server = world.server("killed")
    id = server.download(url).transfer(201)["id"]
    server.wait_for(id, lambda t: t["bytes"] == kept)
    server.stop(signal.SIGKILL)
    gate.set()
    assert [p.name for p in (world.folder / "killed/files").iterdir()] == []
    assert [p.name for p in (world.folder / "killed/parts").iterdir()] == [f"{id}.part"]
    server = world.server("killed")
    with Viewer(server) as viewer:
        viewer.until_ready()
        assert viewer.probe.table[id]["bytes"] >= kept
        viewer.until_row(id, lambda row: row.get("rate"))
        end_gate.set()
        end = viewer.until_complete(id)
        frames = viewer.probe.of(id)
    assert (end["outcome"], end["digest"], end["bytes"]) == ("succeeded", digest(body), size)
    # What was there already is no speed, and there is time left until the end.
    rates = [f["rate"] for f in frames if f.get("rate")]
    assert rates and max(rates) <= MOST_RATE, rates
    assert all(f["eta"] > 0 for f in frames if f.get("eta") is not None and f["bytes"] < size)
    assert world.origin.asked_for("/killed.bin")[1].first_byte == kept


@fault("C21")
def resumed_bytes_are_no_speed(world):
    size, kept = 5_000_000, 4_500_000
    body = (BODY * 5)[:size]
    gate = threading.Event()
    slowly = slow_rest(body, kept, gate)
    url = world.serve(
        "/resumed.bin", [head(200, f"Content-Length: {size}", ETAG), body[:kept], CLOSE],
        [head(206, f"Content-Range: bytes {kept}-{size - 1}/{size}", f"Content-Length: {size - kept}", ETAG), *slowly])
    id = world.begin(url)
    world.viewer.until_row(id, lambda row: row["attempt"] == 2 and row["rate"])
    gate.set()
    is_whole(world, world.end(id), body)
    frames = [f for f in world.frames(id) if f.get("attempt") == 2 and f.get("rate")]
    assert frames and max(f["rate"] for f in frames) <= MOST_RATE
    for frame in frames:
        left = size - frame["bytes"]
        assert abs(frame["eta"] - left * 1000 / frame["rate"]) <= 1 and (frame["eta"] > 0 or not left)


@fault("C48")
def two_of_one_name_at_once(world):
    gate = threading.Event()
    one, other = BODY[:1000], BODY[1000:2500]
    ids = [world.begin(world.serve(path, [head(200, f"Content-Length: {len(body)}"), body[:500], gate, body[500:]]))
           for path, body in (("/a/twin.bin", one), ("/b/twin.bin", other))]
    for id in ids:
        world.viewer.until_row(id, lambda row: row["bytes"] == 500)
    gate.set()
    ends = [world.end(id) for id in ids]
    is_whole(world, ends[0], one)
    is_whole(world, ends[1], other)
    assert {end["name"] for end in ends} == {"twin.bin", "twin (1).bin"}


@fault("C50")
def called_off(world):
    gate = threading.Event()
    for is_paused in (False, True):
        path = f"/called-off-{is_paused}.bin"
        id = world.begin(world.serve(path, [head(200, LENGTH, ETAG), BODY[:HALF], gate]))
        world.viewer.until(lambda f: f.get("id") == id and f.get("bytes") == HALF)
        part = world.folder / f"data/parts/{id}.part"
        assert part.stat().st_size == HALF
        if is_paused:
            world.viewer.ask("pause", id=id)
            world.headway.wait_for(id, lambda t: t["state"] == "paused")
            assert part.exists()
        world.viewer.ask("cancel", id=id)
        assert world.end(id)["outcome"] == "cancelled"
        until(lambda: not part.exists(), "the part stayed")
        # The probe lets nothing come behind a `complete`; a round trip shows that nothing was on its way.
        world.viewer.ask("ping")
        assert world.frames(id)[-1]["type"] == "complete"
    gate.set()
