# SPDX-License-Identifier: Apache-2.0
"""`headway send`: files from a terminal, by tus, on from where they broke off."""
import contextlib
import os
import pty
import signal
import subprocess

import pytest

from origin import content
from patience import PATIENCE, until
from server import BINARY
from viewer import Viewer


def send(headway, *words, state, **options):
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    return subprocess.run([BINARY, "send", *words, "--to", headway.address], capture_output=True, text=True, timeout=PATIENCE,
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


# A disk that takes this many writes, and no more until it is told to: so nothing comes to its end before its time.
HELD = "write .part hold 40"


def test_what_was_interrupted_goes_on_and_is_one_upload(lying, tmp_path):
    headway = lying.start()
    lying.rules(HELD)
    big = tmp_path / "big.bin"
    with big.open("wb") as file:
        for _ in range(6):
            file.write(content(10_000_000))
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    first = subprocess.Popen([BINARY, "send", str(big), "--to", headway.address], env=environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    until(lambda: any(t["bytes"] for t in uploads(headway)))
    first.send_signal(signal.SIGINT)
    assert first.wait(PATIENCE) == 130
    assert "goes on where it was" in first.stderr.read()
    [broken] = uploads(headway)
    assert broken["outcome"] is None
    lying.rules()
    # Who is told that no server answers is told, too, that nothing is lost.
    assert headway.stop() == 0
    run = send(headway, str(big), state=tmp_path / "state")
    assert run.returncode == 2 and "No Headway answers" in run.stderr and "goes on where it was" in run.stderr
    headway = lying.start("--listen", f"127.0.0.1:{headway.port}")
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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_comes_back_gets_the_rest(lying, tmp_path, number):
    headway = lying.start()
    lying.rules(HELD)
    big = tmp_path / "big.bin"
    with big.open("wb") as file:
        file.truncate(60_000_000)
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    sending = subprocess.Popen([BINARY, "send", str(big), "--to", headway.address], env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: any(t["bytes"] for t in uploads(headway)))
    headway.process.send_signal(number)
    lying.rules()
    headway.stop(number)
    assert sending.poll() is None
    headway = lying.start("--listen", f"127.0.0.1:{headway.port}")
    out, errors = sending.communicate(timeout=PATIENCE)
    assert sending.returncode == 0, errors
    assert "trying again" in errors and "connected again" in errors
    assert out.splitlines()[-1].startswith("big.bin: done, 60 MB"), out
    [whole] = uploads(headway)
    assert (whole["outcome"], whole["bytes"], whole["attempt"]) == ("succeeded", 60_000_000, 1)


def test_a_terminal_has_a_bar_and_a_pipe_has_lines(fresh, tmp_path):
    headway = fresh()
    (tmp_path / "some.bin").write_bytes(content(3_000_000))
    piped = send(headway, str(tmp_path / "some.bin"), state=tmp_path / "state")
    assert "\x1b" not in piped.stdout and "█" not in piped.stdout
    assert all(line.startswith("some.bin: ") for line in piped.stdout.splitlines()), piped.stdout
    near, far = pty.openpty()
    words = [BINARY, "send", str(tmp_path / "some.bin"), "--name", "other.bin", "--to", headway.address]
    shown = subprocess.Popen(words, env={**os.environ, "TERM": "xterm", "XDG_STATE_HOME": str(tmp_path / "state")},
                             stdin=far, stdout=far, stderr=far)
    os.close(far)
    text = b""
    # A terminal whose other end has gone is an error, not an end.
    with contextlib.suppress(OSError):
        while piece := os.read(near, 4096):
            text += piece
    os.close(near)
    assert shown.wait(PATIENCE) == 0
    assert "█" in text.decode() or "░" in text.decode(), text
    assert b"other.bin" in text


def test_a_refusal_is_told_in_words(fresh, tmp_path):
    headway = fresh("--max-upload", "1000000", "--max-store", "600000")
    for name, size, words in (("large.bin", 1_000_001, "1000000 are the most"), ("full.bin", 700_000, "are left")):
        (tmp_path / name).write_bytes(content(size))
        run = send(headway, str(tmp_path / name), state=tmp_path / "state")
        assert run.returncode == 1 and words in run.stderr and name in run.stderr, run.stderr
    assert uploads(headway) == []
    assert headway.stop() == 0
    run = send(headway, str(tmp_path / "full.bin"), state=tmp_path / "state")
    assert run.returncode == 2 and f"No Headway answers at {headway.address}" in run.stderr
    assert "goes on" not in run.stderr, "nothing had begun"


def test_a_wrong_address_is_told_with_the_right_one(fresh, tmp_path):
    headway = fresh()
    (tmp_path / "some.bin").write_bytes(b"x")
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    for path in "/wrong", "/index.html":
        run = subprocess.run([BINARY, "send", str(tmp_path / "some.bin"), "--to", headway.address + path],
                             capture_output=True, text=True, timeout=PATIENCE, env=environment)
        assert run.returncode == 1 and f'there is nothing at "{path}/api/v1/tus"' in run.stderr, run.stderr
        assert '--to wants the address that "headway serve" prints' in run.stderr, run.stderr


@pytest.mark.long
def test_who_gives_up_on_a_server_that_has_gone_says_how_to_go_on(lying, tmp_path):
    headway = lying.start()
    lying.rules(HELD)
    big = tmp_path / "big.bin"
    with big.open("wb") as file:
        file.truncate(60_000_000)
    sending = subprocess.Popen([BINARY, "send", str(big), "--to", headway.address], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")})
    until(lambda: any(t["bytes"] for t in uploads(headway)))
    headway.stop(signal.SIGKILL)
    errors = sending.communicate(timeout=PATIENCE)[1]
    assert sending.returncode == 2, errors
    assert errors.splitlines()[-1] == "The same command goes on where it was.", errors
