# SPDX-License-Identifier: Apache-2.0
"""A database of every schema there ever was is opened, and nothing of it is lost."""
import shutil

import pytest

from server import ROOT, Headway

# What each fixture holds: made by the server of its time, then stopped in order.
HOLDS = {
    "database-1.db": {
        "01a22b9c-8349-7d1d-a1db-b36ed8505760": ("succeeded", "Übersicht 2025.pdf", 4000),
        "01a22b9c-83e6-7372-a205-612562f974be": ("failed", "gone.zip", 0),
        "01a22b9c-8411-7034-a268-f69530b718d1": ("cancelled", "cancelled.bin", 3),
        "01a22b9c-8431-77f6-9a86-7587a99a6ec4": ("paused", "half.bin", 400_000),
        "01a22b9c-8459-7db0-bc19-8f971e647edb": ("succeeded", "keyed.bin", 1),
    },
}


def test_every_fixture_is_named_here():
    assert {p.name for p in (ROOT / "Tests/Fixtures").glob("database-*.db")} == set(HOLDS)


@pytest.mark.parametrize("name", HOLDS)
def test_an_older_database_keeps_everything(name, tmp_path, web):
    data = tmp_path / "data"
    (data / "parts").mkdir(parents=True)
    (data / "parts/01a22b9c-8431-77f6-9a86-7587a99a6ec4.part").write_bytes(bytes(400_000))
    shutil.copy(ROOT / "Tests/Fixtures" / name, data / "headway.db")
    for _ in range(2):  # as it was found, and as it was left
        headway = Headway(data, web)
        listed = headway.api("GET", "transfers").json["transfers"]
        assert {t["id"]: (t["state"], t["name"], t["bytes"]) for t in listed} == HOLDS[name]
        assert [t["id"] for t in listed] == sorted(HOLDS[name], reverse=True)
        # What the schema of that time could not do, the new one does for old rows, too.
        assert [t["name"] for t in headway.api("GET", "transfers", q="GATED/800000").json["transfers"]] == ["half.bin"]
        assert not list(data.glob("*damaged*"))
        assert headway.stop() == 0, "".join(headway.log)
