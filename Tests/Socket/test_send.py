# SPDX-License-Identifier: Apache-2.0
"""`headway send`: files from a terminal, by tus, on from where they broke off."""
import os
import signal
import subprocess
import time

from origin import content
from server import BINARY
from viewer import Viewer


def send(headway, *words, state, **options):
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    return subprocess.run([BINARY, "send", *words, "--to", headway.address], capture_output=True, text=True, timeout=60,
                          env=environment, **options)


def uploads(headway):
    return headway.api("GET", "transfers", kind="upload").json["transfers"]


def test_files_arrive_byte_for_byte_and_everyone_sees_them(fresh, tmp_path):
    headway = fresh()
    files = {"empty.bin": b"", "one.bin": b"1", "photo with a name.jpg": content(3_000_000)}
    for name, bytes in files.items():
        (tmp_path / name).write_bytes(bytes)
    with Viewer(headway) as viewer:
        viewer.until_ready()
        run = send(headway, *[str(tmp_path / name) for name in files], "--group", "holiday", state=tmp_path / "state")
        assert run.returncode == 0, run.stderr
        sent = uploads(headway)
        for transfer in reversed(sent):
            assert viewer.until_complete(transfer["id"])["outcome"] == "succeeded"
    assert {t["name"] for t in sent} == set(files) and {t["group"] for t in sent} == {"holiday"}
    for transfer in sent:
        assert headway.request("GET", "/api/v1/" + transfer["href"]).body == files[transfer["name"]]
    assert not list((tmp_path / "state").rglob("uploads/*"))


def test_what_was_interrupted_goes_on_and_is_one_upload(fresh, tmp_path):
    headway = fresh()
    big = tmp_path / "big.bin"
    with big.open("wb") as file:
        for _ in range(40):
            file.write(content(10_000_000))
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    first = subprocess.Popen([BINARY, "send", str(big), "--to", headway.address], env=environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 20
    while not any(t["bytes"] for t in uploads(headway)):
        assert time.monotonic() < end
        time.sleep(0.005)
    first.send_signal(signal.SIGINT)
    assert first.wait(20) == 130
    assert "goes on where it was" in first.stderr.read()
    [broken] = uploads(headway)
    assert broken["outcome"] is None, "it was sent before it could be interrupted"
    run = send(headway, str(big), state=tmp_path / "state")
    assert run.returncode == 0, run.stderr
    [whole] = uploads(headway)
    assert (whole["id"], whole["outcome"], whole["bytes"]) == (broken["id"], "succeeded", big.stat().st_size)
    assert whole["attempt"] == 1, "nothing was sent twice"


def test_what_can_not_be_sent_is_named(fresh, tmp_path):
    headway = fresh()
    run = send(headway, str(tmp_path / "nosuch"), state=tmp_path)
    assert run.returncode == 1 and f"there is no file {tmp_path}/nosuch" in run.stderr
    run = send(headway, str(tmp_path), state=tmp_path)
    assert run.returncode == 1 and "is not a file" in run.stderr
    run = send(headway, state=tmp_path)
    assert run.returncode == 64 and "the files are missing" in run.stderr
