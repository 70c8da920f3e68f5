# SPDX-License-Identifier: Apache-2.0
import random
import uuid

import pytest

from viewer import Viewer


def resume(headway, viewer, **query):
    """The same table, a new connection."""
    viewer.close()
    return Viewer(headway, probe=viewer.probe, epoch=viewer.probe.epoch, seq=viewer.probe.seq, **query)


def test_after_a_cut_only_what_changed_is_told(headway, viewer):
    ended = viewer.made("demo", total=1000, rate=1_000_000)
    viewer.until_complete(ended)
    running = viewer.made("demo", total=400_000, rate=400_000)
    viewer.until_state(running, "running")
    count = len(viewer.probe.of(ended))
    with resume(headway, viewer) as back:
        assert back.read()[0]["resumed"]
        back.until_complete(running)
        assert len(back.probe.of(ended)) <= count + 3, "at most the one round that was cut is paid again"
        assert back.probe.table[running]["outcome"] == "succeeded"


def test_what_ended_while_away_is_told(headway, viewer):
    id = viewer.made("demo", total=200_000, rate=1_000_000)
    viewer.until(lambda f: f.get("id") == id and f["type"] == "start")
    viewer.close()
    headway.ended(id)
    born = headway.demo(total=10, rate=1_000_000).transfer(201)["id"]
    headway.ended(born)
    with Viewer(headway, probe=viewer.probe, epoch=viewer.probe.epoch, seq=viewer.probe.seq) as back:
        back.until_ready()
        assert back.probe.hello["resumed"]
        if not back.probe.table[id]["outcome"]:
            back.until_complete(id)
        # HTTP may be ahead of the turn: then the end belongs to the next round.
        if not back.probe.table.get(born, {}).get("outcome"):
            back.until_complete(born)


@pytest.mark.parametrize("seed", range(4))
def test_cuts_at_random_points_lose_nothing(headway, seed):
    chance = random.Random(seed)
    viewer = Viewer(headway).until_ready()
    ids = [viewer.made("demo", total=chance.randrange(1, 400_000), rate=400_000,
                       **({"failAt": 1000} if n % 3 == 2 else {})) for n in range(5)]
    while any(not viewer.probe.table.get(id, {}).get("outcome") for id in ids):
        for _ in range(chance.randrange(1, 12)):
            try:
                viewer.read(0.5)
            except TimeoutError:
                break
        viewer = resume(headway, viewer)
    viewer.until_ready()
    for id in ids:
        told = {k: v for k, v in viewer.probe.table[id].items() if k not in ("type", "seq", "at")}
        truth = headway.transfer(id)
        truth.pop("seq", None)
        assert told == truth
    viewer.close()


@pytest.mark.parametrize("query", [
    {"epoch": "nonsense", "seq": 3}, {"epoch": "", "seq": ""}, {"seq": 7}, {"epoch": "x" * 500, "seq": -1},
    {"epoch": "a", "seq": "99999999999999999999999999"}, {"epoch": "a:b;c", "seq": "1e3"},
])
def test_a_bogus_point_is_a_fresh_start(headway, query):
    with Viewer(headway, **query) as viewer:
        hello = viewer.read()[0]
        assert (hello["resumed"], hello["seq"]) == (False, 0)
        viewer.until_ready()


@pytest.mark.parametrize("seq", ["0", "-1", "", "abc", str(2**53 - 1), str(2**64)])
def test_a_point_that_was_never_given_is_a_fresh_start(headway, viewer, seq):
    with Viewer(headway, epoch=viewer.probe.epoch, seq=seq) as other:
        hello = other.read()[0]
        assert (hello["resumed"], hello["seq"]) == (False, 0)
        other.until_ready()


def test_the_epoch_of_another_filter_is_a_fresh_start(headway, viewer):
    viewer.until_complete(viewer.made("demo", total=10, rate=1_000_000))
    with Viewer(headway, epoch=viewer.probe.epoch, seq=viewer.probe.seq, kind="demo") as other:
        assert not other.read()[0]["resumed"]


def test_the_epoch_of_the_same_filter_in_another_order_is_the_same(headway):
    ids = [str(uuid.uuid4()), str(uuid.uuid4())]
    done = headway.demo(total=10, rate=1_000_000, group="same").transfer(201)["id"]
    with Viewer(headway, group=["same", "b"], id=[done, *ids]) as viewer:
        # HTTP may be ahead of the turn, and where nothing was told there is nothing to go on from.
        viewer.until_complete(done)
        probe = viewer.probe
    with Viewer(headway, probe=probe, epoch=probe.epoch, seq=probe.seq, id=[*reversed(ids), done],
                group=["b", "same"]) as back:
        assert back.read()[0]["resumed"]
