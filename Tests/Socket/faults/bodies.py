# SPDX-License-Identifier: Apache-2.0
"""Bodies that are not what their head says."""
import gzip

from fault_table import fault
from faults.sample import BODY, CHUNKED, ETAG, HALF, LENGTH, SIZE, digest, has_failed, is_whole
from scripted_origin import CLOSE, RESET, chunks, head, rest, whole


def goes_on_at_half(world, path, cut):
    transfer = world.run(world.serve(path, [head(200, LENGTH, ETAG), BODY[:HALF], cut], rest(BODY)))
    is_whole(world, transfer)
    first, second = world.origin.asked_for(path)
    assert "range" not in first.headers and transfer["attempt"] == 2
    # A reset may throw away what the reader's system had not handed on.
    assert 0 <= second.first_byte <= HALF if cut == RESET else second.first_byte == HALF
    assert second.headers.get("if-range") == ('"v1"' if second.first_byte else None)


@fault("O1", "C42")
def half_of_what_was_announced(world):
    goes_on_at_half(world, "/half.bin", CLOSE)
    # It never gets better: no more than four attempts, and no file.
    url = world.serve("/always-half.bin", [head(200, LENGTH), BODY[:HALF], CLOSE])
    has_failed(world.run(url), "remote-unreachable", "connection was lost", "4 times in a row")
    assert len(world.origin.asked_for("/always-half.bin")) >= 4


@fault("O20")
def reset_in_the_middle(world):
    goes_on_at_half(world, "/reset.bin", RESET)


@fault("O2")
def chunks_that_stop(world):
    whole_one = [head(200, CHUNKED), *chunks(BODY, 65536), b"0\r\n\r\n"]
    transfer = world.run(world.serve("/chunks.bin", [head(200, CHUNKED), *chunks(BODY[:HALF], 65536), CLOSE], whole_one))
    is_whole(world, transfer)
    # Nothing vouches for the rest, so it is asked for as a whole.
    assert "range" not in world.origin.asked_for("/chunks.bin")[1].headers
    assert transfer["note"] is None


@fault("O3", "C11")
def a_body_that_only_the_end_of_the_connection_ends(world):
    transfer = world.run(world.serve("/until-close.bin", [head(200, "Connection: close"), BODY[:HALF], CLOSE]))
    is_whole(world, transfer, BODY[:HALF])
    assert "did not say how long" in transfer["note"]
    # A checksum vouches for what no length does.
    url = world.serve("/until-close-2.bin", [head(200, "Connection: close"), BODY[:HALF], CLOSE])
    transfer = world.run(url, checksum=digest(BODY[:HALF]))
    assert (transfer["outcome"], transfer["note"]) == ("succeeded", None)
    has_failed(world.run(url, checksum=digest(BODY)), "checksum-mismatch")


@fault("O7")
def more_than_was_announced(world):
    answer = [head(200, f"Content-Length: {HALF}"), BODY, CLOSE]
    is_whole(world, world.run(world.serve("/more.bin", answer)), BODY[:HALF])
    # What was too much is not taken for the beginning of another answer.
    is_whole(world, world.run(world.serve("/after-more.bin", whole(BODY))))
    has_failed(world.run(world.serve("/more.bin", answer), checksum=digest(BODY)), "checksum-mismatch")


@fault("O8")
def two_lengths(world):
    url = world.serve("/two.bin", [head(200, LENGTH, f"Content-Length: {HALF}"), BODY, CLOSE])
    has_failed(world.run(url), "remote-protocol", str(SIZE), str(HALF), "contradict")
    assert len(world.origin.asked_for("/two.bin")) == 1


@fault("O9")
def lengths_that_are_no_lengths(world):
    url = world.serve("/negative.bin", [head(200, "Content-Length: -5"), BODY, CLOSE])
    has_failed(world.run(url), "remote-protocol")
    url = world.serve("/huge.bin", [head(200, "Content-Length: 99999999999999999999"), BODY, CLOSE])
    transfer = world.run(url)
    is_whole(world, transfer)
    assert "did not say how long" in transfer["note"]
    assert all(f["total"] in (None, SIZE) for f in world.frames(transfer["id"]))


@fault("O10", "C44")
def a_length_and_chunks(world):
    answer = [head(200, "Content-Length: 5", CHUNKED), *chunks(BODY, 65536), b"0\r\n\r\n", CLOSE]
    transfer = world.run(world.serve("/both.bin", answer))
    is_whole(world, transfer)
    assert transfer["note"] is None
    assert all(f["total"] in (None, SIZE) for f in world.frames(transfer["id"]))


@fault("O14", "C12")
def a_coding_that_nobody_asked_for(world):
    packed = gzip.compress(b"A" * SIZE)
    transfer = world.run(world.serve("/packed.txt", whole(packed, "Content-Encoding: gzip")))
    is_whole(world, transfer, packed)
    assert "gzip" in transfer["note"] and "as it came" in transfer["note"]
    assert world.origin.asked_for("/packed.txt")[0].headers["accept-encoding"] == "identity"
    bomb = gzip.compress(bytes(64 << 20))
    is_whole(world, world.run(world.serve("/bomb.gz", whole(bomb, "Content-Encoding: gzip"))), bomb)


@fault("O18")
def nothing_in_it(world):
    for path, answer in ("/empty.bin", whole(b"")), ("/204.bin", [head(204)]):
        transfer = world.run(world.serve(path, answer))
        is_whole(world, transfer, b"")
        assert transfer["note"] is None
        types = [f["type"] for f in world.frames(transfer["id"])]
        assert types[0] == "start" and types[-2:] == ["progress", "complete"]


@fault("C43")
def a_length_and_then_nothing(world):
    transfer = world.run(world.serve("/nothing.bin", [head(200, LENGTH), CLOSE]))
    has_failed(transfer, "remote-unreachable")
    assert transfer["bytes"] == 0 and "nothing.bin" not in [p.name for p in (world.folder / "data/files").iterdir()]
    is_whole(world, world.run(world.serve("/nothing-2.bin", [head(200, LENGTH), CLOSE], whole(BODY))))
