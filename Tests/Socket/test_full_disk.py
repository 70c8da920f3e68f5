# SPDX-License-Identifier: Apache-2.0
"""A disk without room: row D4 of docs/faults.md, on a real one of 8 MB."""
import re
import threading

from folders import files, parts
from hooks import until_logged
from patience import until
from viewer import Viewer


def test_a_file_that_can_not_fit_fails_before_it_fills_the_disk(small, origin):
    headway = small.start("--keep-free", "0")
    size = 50_000_000
    origin.gates["huge.bin"] = threading.Event()
    huge = headway.ended(headway.download(origin.url(f"/gated/{size}/huge.bin")).transfer(201)["id"])
    origin.gates["huge.bin"].set()
    assert (huge["outcome"], huge["error"]["code"], huge["error"]["retryable"]) == ("failed", "disk-full", False)
    needed, free = map(int, re.findall(r"\d+", huge["error"]["detail"])[:2])
    assert size - 9_000_000 < needed <= size and 0 < free < 9_000_000, huge["error"]
    assert files(small.data) == set()
    headway.wait_for(huge["id"], lambda t: not parts(small.data))
    # Others have nothing to do with it.
    fits = headway.ended(headway.download(origin.url("/file/2000000/fits.bin")).transfer(201)["id"])
    assert fits["outcome"] == "succeeded"


def test_what_the_running_ones_need_is_spoken_for(small, origin):
    headway = small.start("--keep-free", "0")
    first = headway.download(origin.gated(5_000_000, "first.bin")).transfer(201)["id"]
    headway.wait_for(first, lambda t: t["bytes"] == 2_500_000)
    # It would fit by itself, but not beside what the first has still to write.
    second = headway.ended(headway.download(origin.gated(4_000_000, "second.bin")).transfer(201)["id"])
    assert second["error"]["code"] == "disk-full" and "for what is running" in second["error"]["detail"], second
    for name in ["first.bin", "second.bin"]:
        origin.gates[name].set()
    assert headway.ended(first)["outcome"] == "succeeded"


def test_a_disk_that_gets_full_ends_one_and_the_others_go_on(small, origin):
    headway = small.start("--keep-free", "0")
    other = headway.download(origin.gated(1_000_000, "other.bin")).transfer(201)["id"]
    headway.wait_for(other, lambda t: t["bytes"] == 500_000)
    # Its size is not told, so only the write can tell that there is no room.
    blind = headway.ended(headway.download(origin.url("/unknown/20000000/blind.bin")).transfer(201)["id"])
    assert (blind["outcome"], blind["error"]["code"]) == ("failed", "disk-full"), blind
    assert re.search(r"needs more.* \d+ are free", blind["error"]["detail"]), blind["error"]
    headway.wait_for(blind["id"], lambda t: len(parts(small.data)) == 1)
    assert small.free() > 4_000_000
    origin.gates["other.bin"].set()
    assert headway.ended(other)["outcome"] == "succeeded"
    assert files(small.data) == {"other.bin"}


def test_while_the_disk_is_full_the_line_waits_and_then_goes_on_by_itself(small, origin):
    headway = small.start("--keep-free", "1M")
    small.fill(leaving=500_000)
    with Viewer(headway) as viewer:
        viewer.until_ready()
        notice, = until(lambda: headway.api("GET", "notices").json["notices"])
        assert notice["code"] == "disk-full" and "1000000 are kept free" in notice["text"]
        ids = [viewer.made("download", url=origin.url(f"/file/2000/{n}.bin")) for n in "abc"]
        for id in ids:
            held = headway.transfer(id)
            assert (held["state"], held["reason"]) == ("queued", "disk-full") and held["note"] == notice["text"]
        small.filler.unlink()
        for id in ids:
            assert viewer.until_complete(id)["outcome"] == "succeeded"
    assert headway.api("GET", "notices").json["notices"] == []
    assert len(until_logged(headway, "room again")) == 1, headway.log
    assert sum("disk is full" in line for line in headway.log) == 1, headway.log
