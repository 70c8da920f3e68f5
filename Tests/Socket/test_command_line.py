# SPDX-License-Identifier: Apache-2.0
"""`headway watch`, `get`, `list` and the words that steer, as a script uses them."""
import hashlib
import json
import re
import subprocess

import pytest

import ports
from frame_probe import TRANSFERS, is_valid
from origin import content
from patience import PATIENCE
from server import BINARY
from terminal import headway_command


def test_get_fetches_and_ends_with_0(headway, origin):
    run = headway_command("get", origin.url("/file/700000/got.bin"), "--name", "mine.bin", address=headway.address)
    assert run.returncode == 0, run.stderr
    last = run.stdout.splitlines()[-1]
    assert last.startswith("mine.bin: done, 700 kB") and f"{headway.address}/api/v1/files/" in last


def test_get_checks_what_it_fetches(headway, origin):
    url, digest = origin.url("/file/7000/checked.bin"), hashlib.sha256(content(7000)).hexdigest()
    run = headway_command("get", url, "--checksum", f"sha256:{digest}", address=headway.address)
    assert run.returncode == 0, run.stderr
    run = headway_command("get", url, "--checksum", f"sha256:{'0' * 64}", address=headway.address)
    assert run.returncode == 1 and digest in run.stdout
    run = headway_command("get", url, "--checksum", "sha256:0", address=headway.address)
    assert run.returncode == 1 and "64 hexadecimal digits" in run.stderr


def test_get_of_what_is_not_there_ends_with_1_and_says_why(headway, origin):
    run = headway_command("get", origin.url("/status/404"), address=headway.address)
    assert run.returncode == 1 and "404" in run.stdout


def test_get_of_a_blocked_address_ends_with_1_and_says_why(headway):
    run = headway_command("get", "http://10.0.0.1/a", address=headway.address)
    assert run.returncode == 1 and "10.0.0.1" in run.stderr and len(run.stderr.splitlines()) == 1


@pytest.mark.parametrize("more,status", [({}, 0), ({"failAt": 1000}, 1)])
def test_watch_of_one_ends_with_its_outcome(headway, more, status):
    id = headway.demo(total=200_000, rate=400_000, **more).transfer(201)["id"]
    run = headway_command("watch", id, "--json", address=headway.address)
    assert run.returncode == status, run.stderr
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    for line in lines:
        if line["type"] != "progress":  # of a row that has ended, progress comes before the outcome
            is_valid(TRANSFERS, line)
    assert [line["type"] for line in lines][::len(lines) - 1 or 1] in (["start", "complete"], ["start"])


def test_watch_of_one_that_is_over_ends_at_once(headway):
    id = headway.demo(total=1, rate=1_000_000).transfer(201)["id"]
    headway.ended(id)
    run = headway_command("watch", id, address=headway.address)
    assert run.returncode == 0 and len(run.stdout.splitlines()) == 1


def test_watch_of_what_is_not_there_ends_with_1(headway):
    run = headway_command("watch", "01938f5e-7c1a-7b2d-9c4e-5f60718293a4", address=headway.address)
    assert run.returncode == 1 and "no transfer" in run.stderr


def test_nobody_answers_ends_with_2():
    with ports.held() as nobody:
        address = f"http://127.0.0.1:{ports.port_of(nobody)}"
        for words in (["watch"], ["get", "http://example.org/a"]):
            run = headway_command(*words, address=address)
            assert run.returncode == 2
            assert f"No Headway answers at {address}: connection refused" in run.stderr


@pytest.mark.parametrize("words", [[], ["frob"], ["get"], ["watch", "nonsense"], ["watch", "--frob"], ["watch", "--url"],
                                   ["get", "a", "b"], ["watch", "--url", "ftp://h"]])
def test_wrong_usage_ends_with_64(words):
    assert headway_command(*words).returncode == 64


def words_of_the_help():
    return re.findall(r"^  headway (\w+)", headway_command("help").stdout, re.M)


def test_help_is_no_error():
    for words in [["help"], ["--help"], ["--version"], *([word, "--help"] for word in words_of_the_help())]:
        run = headway_command(*words)
        assert run.returncode == 0 and run.stdout and not run.stderr, words


def test_the_help_has_a_line_for_each_word():
    """What one may write, at least two blanks, and what comes of it; all of those below one another."""
    lines = re.findall(r"^  headway (.*)$", headway_command("help").stdout, re.M)
    assert [line.split()[0] for line in lines] == words_of_the_help() and len(lines) == 17
    assert len({re.match(r"\S+( \S+)*  +(?=\S)", line).end() for line in lines}) == 1, lines


def test_watch_goes_on_after_a_restart(fresh, origin):
    headway = fresh()
    id = headway.download(origin.gated(400_000, "watched.bin")).transfer(201)["id"]
    headway.wait_for(id, lambda t: t["bytes"] == 200_000)
    watch = subprocess.Popen([BINARY, "watch", id, "--url", headway.address], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    assert "watched.bin" in watch.stdout.readline()
    headway.stop()
    origin.gates["watched.bin"].set()
    assert "trying again" in watch.stderr.readline()
    back = fresh("--listen", f"127.0.0.1:{headway.port}")
    out, err = watch.communicate(timeout=PATIENCE)
    assert watch.returncode == 0, err
    assert "done, 400 kB" in out.splitlines()[-1]
    assert back.transfer(id)["bytes"] == len(content(400_000))


def test_list_and_the_words_that_steer(headway):
    id = headway.demo(name="steered", total=10_000_000, rate=1000).transfer(201)["id"]

    def said(*words):
        run = headway_command(*words, address=headway.address)
        return run.returncode, run.stdout, run.stderr

    assert f"{id}  running     steered" in said("list", "--kind", "demo", "--search", "steered")[1]
    status, text, _ = said("pause", id)
    assert status == 0 and text.startswith(f"{id}  paused ")
    assert said("resume", id)[0] == 0
    assert said("cancel", id)[1].startswith(f"{id}  cancelled ")
    status, _, complaint = said("pause", id, "01938f5e-7c1a-7b2d-9c4e-5f60718293a4")
    assert status == 1 and len(complaint.splitlines()) == 2
    status, text, _ = said("retry", "--json", id)
    assert status == 0
    again = json.loads(text)
    assert again["retryOf"] == id
    assert said("rm", again["id"], id) == (0, f"{again['id']}  deleted\n{id}  deleted\n", "")
    assert said("list", "--search", "steered")[1] == ""


def test_completion_knows_every_word():
    for shell in ("bash", "zsh"):
        script = subprocess.run([BINARY, "completion", shell], capture_output=True, text=True, check=True).stdout
        for word in ("serve", "get", "watch", "list", "pipe", "run", "--search"):
            assert word in script
    ask = 'source <("$0" completion bash); COMP_WORDS=(headway pa); COMP_CWORD=1; _headway; echo "${COMPREPLY[@]}"'
    run = subprocess.run(["bash", "-c", ask, BINARY], capture_output=True, text=True, timeout=20)
    assert run.stdout == "pause\n", run
