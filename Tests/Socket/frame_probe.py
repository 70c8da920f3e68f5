# SPDX-License-Identifier: Apache-2.0
"""Checks every frame of one viewer against the schema and the rules of the wire, and folds it."""
import json
import pathlib

import jsonschema

FIXTURES = pathlib.Path(__file__).parent.parent / "Fixtures"
SCHEMA = json.loads((FIXTURES / "frames.schema.json").read_text("utf-8"))


def inlined(node):
    """A part of the schema with what its references name in their place."""
    if isinstance(node, list):
        return [inlined(each) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return inlined(SCHEMA["$defs"][node["$ref"].removeprefix("#/$defs/")])
    return {name: inlined(each) for name, each in node.items()}


def validator(name):
    return jsonschema.Draft202012Validator(inlined(SCHEMA["$defs"][name]))


FRAMES = jsonschema.Draft202012Validator(SCHEMA)
# Only the branch of its own type can take a frame: to ask no other, and without references, takes a quarter of the time.
BRANCHES = {name: validator(name) for name in (
    "hello", "start", "progress", "complete", "removed", "ready", "heartbeat", "ack")}
TRANSFERS, PROBLEMS = validator("transfer"), validator("problem")
NEVER_CHANGES = ("kind", "group", "owner", "retryOf", "createdAt")


def is_valid(validator, value):
    """Raises with all that is wrong, and the value."""
    wrong = [f"{[str(p) for p in e.absolute_path]}: {e.message[:200]} {[c.message[:200] for c in e.context or ()]}"
             for e in validator.iter_errors(value)]
    assert not wrong, f"{wrong} in {json.dumps(value)[:600]}"


class FrameProbe:
    """The table of one viewer, also over several connections (a resumed one goes on with it)."""

    def __init__(self):
        self.table = {}
        self.frames = []
        self.epoch = None
        self.seq = 0
        self.hello = None
        self.is_ready = False
        self.refs = set()
        self._connected()

    def _connected(self):
        self.needs_hello = True
        self.sent = {}      # what this connection has sent of each id: the last frame's type
        self.last = {}      # the last figures of each id, of this connection
        self.pending = {}   # ids whose creation is asked for on this connection and not yet answered

    def connected(self):
        """A new connection begins; what is resumed keeps the table."""
        self._connected()

    def take(self, message):
        """Takes a message as it came; returns its frames."""
        assert isinstance(message, str), "a message is text"
        assert len(message.encode()) <= 64 * 1024, f"a message has {len(message.encode())} bytes"
        value = json.loads(message)
        frames = value if isinstance(value, list) else [value]
        for frame in frames:
            self.frame(frame)
        return frames

    def check(self, frame):
        """Against the schema."""
        is_valid(BRANCHES.get(frame["type"], FRAMES) if "type" in frame else FRAMES, frame)

    def frame(self, frame):
        self.check(frame)
        self.frames.append(frame)
        kind = frame["type"]
        if self.needs_hello:
            assert kind == "hello", f"the first frame is {kind}"
            self.needs_hello = False
        if kind == "ack":
            assert frame["ref"] is None or frame["ref"] not in self.refs, f"a second ack for {frame['ref']}"
            self.refs.add(frame["ref"])
            if frame["ok"] and frame.get("id") and self.pending.pop(frame["ref"], None):
                assert frame["id"] not in self.sent, "the ack of a creation came after a frame about it"
            return
        if kind == "hello":
            return self._hello(frame)
        seq = frame["seq"]
        assert seq >= self.seq, f"seq fell from {self.seq} to {seq}"
        self.seq = seq
        if kind in ("start", "progress", "complete", "removed"):
            self._row(kind, frame)
        elif kind == "ready":
            assert not self.is_ready, "ready came twice"
            self.is_ready = True
        elif kind == "heartbeat" and "open" in frame:
            unfinished = [row for row in self.table.values() if row["outcome"] is None]
            assert frame["open"] == len(unfinished), f"heartbeat counts {frame['open']}, the table {len(unfinished)}"
            assert frame["sum"] == sum(row["bytes"] for row in unfinished) % 2**53

    def _hello(self, frame):
        self.hello = frame
        self.is_ready = False
        if frame["resumed"]:
            assert frame["epoch"] == self.epoch, "resumed in another epoch"
            assert frame["seq"] == self.seq, "resumed somewhere else"
        else:
            assert frame["seq"] == 0, "a join begins at 0"
            self.table, self.sent, self.last = {}, {}, {}
        self.epoch, self.seq = frame["epoch"], frame["seq"]

    def _row(self, kind, frame):
        id, before = frame["id"], self.sent.get(frame["id"])
        if kind == "removed":
            self.sent[id] = kind
            self.table.pop(id, None)
            return
        assert before != "complete", f"{kind} after complete of {id}"
        if kind == "start":
            # `removed` of a named id that is not there yet may be followed by its birth.
            assert before in (None, "removed"), f"start after {before} of {id}"
        else:
            assert id in self.table, f"{kind} without a start of {id}"
        self._figures(kind, frame)
        held = self.table.get(id, {})
        for name in NEVER_CHANGES:
            if name in held and name in frame:
                assert held[name] == frame[name], f"{name} changed"
        if kind == "complete":
            assert before == "progress" and self.last[id]["bytes"] == frame["bytes"], \
                "a complete follows a progress of the same bytes"
            assert frame["outcome"] is not None
            if frame["outcome"] == "succeeded":
                assert frame["total"] == frame["bytes"], "success has total = bytes"
        self.sent[id], self.last[id] = kind, frame
        self.table[id] = {**held, **frame}

    def _figures(self, kind, frame):
        if frame["total"] is not None:
            assert frame["bytes"] <= frame["total"], f"bytes {frame['bytes']} over total {frame['total']}"
        last = self.last.get(frame["id"]) or self.table.get(frame["id"])
        if last:
            assert frame["attempt"] >= last["attempt"], "attempt fell"
            if frame["bytes"] < last["bytes"]:
                assert frame["attempt"] > last["attempt"], "bytes fell and attempt did not rise"

    # What tests ask.

    def of(self, id, kind=None):
        """Frames about one transfer."""
        return [f for f in self.frames if f.get("id") == id and f["type"] != "ack" and kind in (None, f["type"])]
