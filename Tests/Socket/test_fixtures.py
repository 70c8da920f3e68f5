# SPDX-License-Identifier: Apache-2.0
import json

import jsonschema
import pytest

from frame_probe import BRANCHES, FIXTURES, FRAMES, SCHEMA, FrameProbe, is_valid

LINES = (FIXTURES / "frames.ndjson").read_text("utf-8").splitlines()


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_a_frame_is_taken_by_the_branch_of_its_type_or_by_none():
    *known, last = [branch["$ref"].removeprefix("#/$defs/") for branch in SCHEMA["oneOf"]]
    assert known == list(BRANCHES) and last == "unknown"
    for name in known:
        branch = SCHEMA["$defs"][name]
        assert "type" in branch["required"] and branch["properties"]["type"] == {"const": name}
    assert SCHEMA["$defs"]["unknown"]["properties"]["type"]["not"] == {"enum": known}


def test_the_corpus_keeps_the_schema_and_the_rules():
    probe = FrameProbe()
    for line in LINES:
        probe.frame(json.loads(line))


@pytest.mark.parametrize("change", [
    {"bytes": -1}, {"bytes": 2**53}, {"bytes": 1.5}, {"bytes": None}, {"total": -1}, {"attempt": 0}, {"id": "x"},
    {"state": None}, {"rate": 1, "state": "paused"}, {"eta": 1, "rate": None}, {"at": "2026-11-30"},
    {"retryAt": "soon"}, {"name": 7}, {"seq": -1}, {"reason": "Broken!"},
])
def test_the_schema_refuses_a_wrong_progress(change):
    good = next(f for f in map(json.loads, LINES) if f["type"] == "progress" and f["rate"])
    for schema in (FRAMES, BRANCHES["progress"]):
        is_valid(schema, good)
        assert not schema.is_valid({**good, **change})


@pytest.mark.parametrize("change", [
    {"bytes": 2**40}, {"seq": 0}, {"type": "start"}, {"attempt": 0},
])
def test_the_probe_refuses_what_no_schema_can(change):
    probe = FrameProbe()
    frames = [json.loads(line) for line in LINES]
    moving = next(i for i, f in enumerate(frames) if f["type"] == "progress" and f["rate"])
    for frame in frames[:moving]:
        probe.frame(frame)
    with pytest.raises(AssertionError):
        start = next(f for f in frames if f.get("id") == frames[moving]["id"])
        probe.frame({**start, **frames[moving], **change})
