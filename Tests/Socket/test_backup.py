# SPDX-License-Identifier: Apache-2.0
import shutil
import subprocess
import threading

from origin import content
from patience import PATIENCE
from server import BINARY, Headway


def backup(*words):
    return subprocess.run([BINARY, "backup", *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)


def test_a_backup_of_a_running_server_is_restored(fresh, tmp_path, origin):
    headway = fresh()
    stored = [headway.ended(headway.download(origin.url(f"/file/4000/{n}.bin")).transfer(201)["id"]) for n in "ab"]
    going = headway.download(origin.gated(800_000, "backup.bin")).transfer(201)["id"]
    headway.wait_for(going, lambda t: t["bytes"] == 400_000)
    done = backup(tmp_path / "copy", "--data", tmp_path / "data")
    assert (done.returncode, done.stderr) == (0, ""), done
    assert "3 transfers, 2 files with 8000 bytes" in done.stdout and len(done.stdout.splitlines()) == 1
    # Nothing stands still meanwhile, and nothing of the copy changes any more.
    assert headway.demo(total=1, rate=1_000_000).status == 201
    headway.stop()
    shutil.rmtree(tmp_path / "data")

    shutil.copytree(tmp_path / "copy", tmp_path / "data")
    origin.gates["backup.bin"].set()
    headway = fresh()
    assert len(headway.api("GET", "transfers").json["transfers"]) == 3
    for transfer in stored:
        assert headway.request("GET", "/api/v1/" + transfer["href"]).body == content(4000)
    end = headway.ended(going)
    assert end["outcome"] == "succeeded", end
    assert (tmp_path / "data/files/backup.bin").read_bytes() == content(800_000)


def test_backups_of_a_busy_server_are_whole(fresh, tmp_path, web, origin):
    headway = fresh()
    stop = threading.Event()

    def work():
        number = 0
        while not stop.is_set():
            number += 1
            headway.ended(headway.download(origin.url(f"/file/20000/busy-{number}.bin")).transfer(201)["id"])

    worker = threading.Thread(target=work)
    worker.start()
    try:
        for number in range(5):
            assert backup(tmp_path / "copy", "--data", tmp_path / "data").returncode == 0
            shutil.copytree(tmp_path / "copy", tmp_path / f"restored-{number}")
    finally:
        stop.set()
        worker.join()
    for number in range(5):
        restored = Headway(tmp_path / f"restored-{number}", web)
        for transfer in restored.api("GET", "transfers", limit=1000).json["transfers"]:
            end = restored.ended(transfer["id"])
            assert end["outcome"] == "succeeded", end
            assert restored.request("GET", "/api/v1/" + end["href"]).body == content(20_000)
        assert restored.stop() == 0


def test_a_file_that_is_gone_is_named_and_told_to_the_shell(fresh, tmp_path, origin):
    headway = fresh()
    headway.ended(headway.download(origin.url("/file/4000/lost.bin")).transfer(201)["id"])
    (tmp_path / "data/files/lost.bin").unlink()
    done = backup(tmp_path / "copy", f"--data={tmp_path / 'data'}")
    assert done.returncode == 1 and "lost.bin" in done.stdout.splitlines()[1]


def test_what_can_not_be_done_is_one_line(fresh, tmp_path, web):
    headway = fresh()
    for words, status, named in [
        ([], 64, "missing"), (["--frob"], 64, "--frob"), (["a", "b"], 64, "b"), (["a", "--data"], 64, "--data"),
        ([tmp_path / "copy", "--data", tmp_path], 1, "headway.db"),
        ([tmp_path / "data", "--data", tmp_path / "data"], 1, "own backup"),
    ]:
        done = backup(*words)
        assert done.returncode == status and named in done.stderr and len(done.stderr.splitlines()) == 1, done
    other = Headway(tmp_path / "other", web)
    done = backup(tmp_path / "other", "--data", tmp_path / "data")
    assert done.returncode == 1 and str(other.process.pid) in done.stderr
    other.stop()
    assert headway.api("GET", "transfers").status == 200
