# SPDX-License-Identifier: Apache-2.0
"""Fills the database of a server that is not running: a history of years, or a queue, in a second."""
import contextlib
import json
import pathlib
import sqlite3


def fill(data, model, count, change):
    """Puts `count` copies of the transfer `model` behind the last one; `change(row, transfer, number)` makes each its own.

    `row` is what the database keeps beside the transfer itself, by the names of its columns.
    """
    with contextlib.closing(sqlite3.connect(pathlib.Path(data) / "headway.db")) as database:
        database.row_factory = sqlite3.Row
        found = dict(database.execute("SELECT * FROM transfers WHERE id = ?", (model,)).fetchone())
        last = database.execute("SELECT max(birth) FROM transfers").fetchone()[0]
        ids = []

        def rows():
            for number in range(count):
                row, transfer = dict(found), json.loads(found["document"])
                row["birth"] = last + 1 + number
                row["id"] = transfer["id"] = f"01900000-0000-7000-8000-{number:012x}"
                change(row, transfer, number)
                row["name"], row["folded_name"] = transfer["name"], transfer["name"].lower()
                row["folded_source"] = (transfer["source"] or "").lower()
                row["state"], row["outcome"], row["group_name"] = (
                    transfer["state"], transfer["outcome"], transfer["group"])
                row["document"] = json.dumps(transfer, separators=(",", ":"), ensure_ascii=False)
                ids.append(row["id"])
                yield list(row.values())

        places = ", ".join("?" * len(found))
        database.executemany(f"INSERT INTO transfers ({', '.join(found)}) VALUES ({places})", rows())
        database.commit()
        return ids
