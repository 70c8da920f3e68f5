# SPDX-License-Identifier: Apache-2.0
import threading
import time

import pytest

from history import fill
from origin import content
from patience import PATIENCE, until
from server import BINARY, Headway
from viewer import Viewer

# The build for users is measured; one with checks would take minutes to read so many.
COUNT = 3000 if "/debug/" in BINARY else 100_000
ENDS = ["succeeded", "failed", "cancelled"]


def of_years(row, transfer, number):
    transfer["name"] = f"Report {number}.PDF"
    transfer["state"] = transfer["outcome"] = ENDS[number % 3]
    if transfer["outcome"] == "failed":
        transfer["error"] = {"type": "urn:headway:problem:remote-status", "code": "remote-status", "title": "It said no",
                             "detail": "The server answered 404 Not Found", "retryable": False, "remoteStatus": 404}
    transfer["group"] = f"group {number % 1000}"
    transfer["source"] = f"https://host-{number % 97}.example.org/{number}?key=***"


@pytest.fixture(scope="module")
def old(tmp_path_factory, web):
    """A server with the ended transfers of years."""
    data = tmp_path_factory.mktemp("old")
    first = Headway(data, web)
    model = first.ended(first.demo(total=1, rate=1_000_000).transfer(201)["id"])["id"]
    assert first.stop() == 0
    fill(data, model, COUNT, of_years)
    server = Headway(data, web)
    yield server
    assert server.stop() == 0, "".join(server.log)


def names(server, **query):
    return [t["name"] for t in server.api("GET", "transfers", **query).json["transfers"]]


def test_a_search_finds_by_name_and_source_whatever_the_case(old):
    assert names(old, q="REPORT 777.pdf") == ["Report 777.PDF"]
    found = names(old, q="host-96.EXAMPLE", limit=1000)
    assert len(found) == min(1000, sum(n % 97 == 96 for n in range(COUNT))) and found[0] == f"Report {max(n for n in range(COUNT) if n % 97 == 96)}.PDF"
    assert names(old, q="host-96.example.org/96?") == ["Report 96.PDF"]
    assert names(old, q="nowhere") == [] and names(old, q="key=secret") == []


def test_filters_and_a_search_go_together(old):
    both = names(old, q="report 1", state="failed", group="group 1", limit=1000)
    assert both == [f"Report {n}.PDF" for n in reversed(range(COUNT))
                    if n % 3 == 1 and n % 1000 == 1 and str(n).startswith("1")]
    assert names(old, state=["failed", "cancelled"], group="group 7", kind="download") == []


@pytest.mark.parametrize("query", [{}, {"q": "report 77"}, {"q": "nowhere at all"}, {"state": "failed"},
                                   {"group": "group 1"}, {"q": "host-96", "state": ["failed", "cancelled"]}])
def test_a_page_of_years_comes_at_once(old, query):
    times = []
    for _ in range(5):
        begin = time.monotonic()
        assert old.api("GET", "transfers", **query).status == 200
        times.append(time.monotonic() - begin)
    # Some tens of milliseconds where the whole history is searched: a slow machine that is busy may need a hundred times
    # as long.
    assert min(times) < 5, times


def test_pages_neither_repeat_nor_miss_anything_while_new_ones_come(old):
    seen, after = [], None
    while True:
        page = old.api("GET", "transfers", group=["group 1", "new"], limit=30, **({"after": after} if after else {})).json
        seen += [t["id"] for t in page["transfers"]]
        old.demo(total=1, rate=1_000_000, group="new").transfer(201)
        after = page["next"]
        if after is None:
            break
    assert len(seen) == len(set(seen)) == COUNT / 1000


def test_the_loop_goes_on_while_the_history_is_searched(old):
    """C64: nobody waits for another one's search."""
    begun, over, enough = 0, 0, threading.Event()

    def search():
        nonlocal begun, over
        while not enough.is_set():
            begun += 1
            old.api("GET", "transfers", q="nowhere at all")
            over = begun

    thread = threading.Thread(target=search)
    thread.start()
    try:
        with Viewer(old) as viewer:
            viewer.until_ready()

            def several_are_answered_meanwhile():
                before = begun, over
                for _ in range(4):
                    assert viewer.socket.ping().wait(PATIENCE)
                return (begun, over) == before and begun > over

            # Where the loop waits for the search, one may be answered before it and one with it.
            until(several_are_answered_meanwhile)
    finally:
        enough.set()
        thread.join()


def test_a_history_of_years_is_cleared_and_every_viewer_knows(old):
    with Viewer(old) as viewer:
        kept = next(t for t in old.api("GET", "transfers", state="cancelled").json["transfers"])
        viewer.until_ready()
        answer = old.api("DELETE", "transfers", state=["failed", "succeeded"])
        assert answer.status == 200 and answer.json["deleted"] >= COUNT // 3 * 2
        assert viewer.until(lambda f: f["type"] == "hello")["resumed"] is False
        viewer.until(lambda f: f["type"] == "ready")
        assert {t["state"] for t in viewer.probe.table.values()} == {"cancelled"}
        assert kept["id"] in viewer.probe.table
    assert names(old, state=["failed", "succeeded"]) == []
    assert len(names(old, state="cancelled", limit=1000)) == min(1000, COUNT // 3)


# Clearing a few.

@pytest.fixture
def some(fresh, origin):
    """Two stored files, one failure, and one that goes on."""
    headway = fresh()
    stored = [headway.ended(headway.download(origin.url(f"/file/4000/{n}.bin")).transfer(201)["id"]) for n in "ab"]
    failed = headway.ended(headway.download(origin.url("/status/404/gone.zip")).transfer(201)["id"])
    going = headway.demo(total=10**9, rate=1000).transfer(201)
    return headway, stored, failed, going


def test_a_clear_takes_what_ended_so_and_nothing_else(some, tmp_path):
    headway, stored, failed, going = some
    with Viewer(headway) as viewer:
        viewer.until_ready()
        assert headway.api("DELETE", "transfers", state="succeeded").json["deleted"] == 2
        for _ in stored:
            gone = viewer.until(lambda f: f["type"] == "removed")
            assert gone["id"] in [t["id"] for t in stored] and gone["outcome"] == "succeeded"
    left = {t["id"] for t in headway.api("GET", "transfers").json["transfers"]}
    assert left == {failed["id"], going["id"]}
    headway.api("GET", f"transfers/{stored[0]['id']}").problem(404, "not-found")
    # The files were not asked for.
    assert (tmp_path / "data/files/a.bin").read_bytes() == content(4000)


def test_a_clear_with_files_takes_the_files(some, tmp_path):
    headway, _, _, going = some
    assert headway.api("DELETE", "transfers", state=["succeeded", "failed"], file=1).json["deleted"] == 3
    assert list((tmp_path / "data/files").iterdir()) == []
    assert [t["id"] for t in headway.api("GET", "transfers").json["transfers"]] == [going["id"]]


def test_a_clear_can_be_narrowed(some):
    headway, stored, *_ = some
    assert headway.api("DELETE", "transfers", state="succeeded", q="A.BIN").json["deleted"] == 1
    headway.api("GET", f"transfers/{stored[1]['id']}").transfer()


def test_a_delete_of_one_keeps_its_file_unless_told(some, tmp_path):
    headway, stored, *_ = some
    assert headway.api("DELETE", f"transfers/{stored[0]['id']}").status == 204
    assert headway.api("DELETE", f"transfers/{stored[1]['id']}", file=1).status == 204
    assert [p.name for p in (tmp_path / "data/files").iterdir()] == ["a.bin"]


@pytest.mark.parametrize("query,named", [({}, "state"), ({"state": "running"}, "running"),
                                         ({"state": "succeeded", "gruop": "a"}, "gruop"), ({"state": ""}, "state"),
                                         ({"state": "succeeded", "limit": 1}, "limit")])
def test_a_clear_that_could_mean_more_than_was_meant_is_refused(headway, query, named):
    assert named in headway.api("DELETE", "transfers", **query).problem(400, "invalid")["detail"]
