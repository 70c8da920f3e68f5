# SPDX-License-Identifier: Apache-2.0
"""Each common client uploads files of four sizes, and two viewers see every one of them right."""
import subprocess

import pytest

from origin import content
from patience import PATIENCE
from upload_clients import CLIENTS
from uploads import Watched, chunked, curl, digest, form, id_of, replay
from viewer import Viewer

SIZES = [0, 1, 3_000, 5_000_000]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda c: c.__name__)
def test_a_client_uploads_and_everybody_sees_it(headway, tmp_path, client):
    with Watched(headway) as watched:
        for size in SIZES:
            data = content(size, client.__name__.encode())
            path = tmp_path / f"{client.__name__}-{size}.bin"
            path.write_bytes(data)
            watched.check(client(headway, path, data), data, path.name)


def test_several_files_in_one_form_are_one_transfer(headway, tmp_path):
    files = {"a.txt": content(70_000), "b.txt": b"", "c.txt": content(5)}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with Viewer(headway).until_ready() as viewer:
        answer = curl(headway, *[word for name in files for word in ("-F", f"file=@{tmp_path / name}")],
                      f"{headway.address}/api/v1/uploads?group=trip")
        row = viewer.until_complete(id_of(answer))
    assert (row["name"], row["group"], row["href"], row["digest"]) == ("a.txt", "trip", None, None)
    assert row["bytes"] == row["total"] == 70_005
    assert [(f["name"], f["bytes"], f["digest"]) for f in row["files"]] == \
        [(name, len(data), digest(data)) for name, data in files.items()]
    for file in row["files"]:
        assert headway.api("GET", file["href"]).body == files[file["name"]]
    assert headway.api("GET", f"files/{row['id']}/4/d.txt").status == 404
    assert headway.api("DELETE", f"transfers/{row['id']}", file=1).status == 204
    assert headway.api("GET", row["files"][0]["href"]).status == 404


def test_a_list_of_files_that_is_too_long_for_a_frame_is_whole_in_the_transfer(headway):
    parts = [([f'Content-Disposition: form-data; filename="many-{n}"'], str(n).encode()) for n in range(200)]
    body = form("b", *parts)
    with Viewer(headway).until_ready() as viewer:
        answer = headway.api("POST", "uploads", body, {"Content-Type": "multipart/form-data; boundary=b"})
        transfer = answer.transfer(201)
        row = viewer.until_complete(transfer["id"])
    assert row["files"] is None and row["href"] is None
    files = headway.transfer(transfer["id"])["files"]
    assert [file["name"] for file in files] == [f"many-{n}" for n in range(200)]
    assert headway.api("GET", files[199]["href"]).body == b"199"
    assert headway.api("DELETE", f"transfers/{transfer['id']}", file=1).status == 204


@pytest.mark.parametrize("given,stored", [
    ("../../etc/passwd", "passwd"), ("..", "upload"), (r"C:\photos\me.jpg", "me.jpg"), ("テスト.txt", "テスト.txt"),
    (".hidden", "_hidden"), ("a\u202egpj.exe", "a_gpj.exe"), ("x" * 300 + ".txt", "x" * 227 + ".txt"),
    ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
])
def test_a_name_is_made_safe(headway, given, stored):
    body = form("b", ([f'Content-Disposition: form-data; name="f"; filename="{given}"'], b"x"))
    answer = replay(headway, "POST", "/api/v1/uploads", {
        "Content-Type": "multipart/form-data; boundary=b", "Content-Length": str(len(body))}, body)
    assert answer.status == 201, answer.body
    assert answer.json["name"] == stored
    assert headway.api("DELETE", f"transfers/{answer.json['id']}", file=1).status == 204


def test_the_answer_says_where_the_transfer_is(headway):
    answer = headway.api("PUT", "uploads/where.txt", b"x")
    transfer = answer.transfer(201)
    assert answer.headers["Location"] == f"{headway.address}/api/v1/transfers/{transfer['id']}"
    assert headway.transfer(transfer["id"])["outcome"] == "succeeded"


def test_the_sender_may_choose_the_id_once(headway):
    id = "01a22bc3-2aeb-7abe-bfe2-ba6a614d7239"
    assert headway.api("PUT", "uploads/mine.txt", b"1", id=id).transfer(201)["id"] == id
    headway.api("PUT", "uploads/mine.txt", b"2", id=id).problem(409, "wrong-state")
    assert headway.api("GET", f"files/{id}/mine.txt").body == b"1"
    for wrong in ("1", "01a22bc3-2aeb-4abe-bfe2-ba6a614d7239"):
        headway.api("PUT", "uploads/mine.txt", b"2", id=wrong).problem(400, "invalid")


def test_what_is_no_upload_is_told_how_to_be_one(headway):
    assert "multipart/form-data" in headway.api("POST", "uploads", b"x").problem(400, "invalid")["detail"]
    assert "uploads/NAME" in headway.api("PUT", "uploads/", b"x").problem(405, "invalid")["detail"]
    headway.api("PATCH", "uploads/a", b"x").problem(405)
    assert headway.api("GET", "uploads").problem(405) and headway.api("GET", "uploads").headers["Allow"]
    headway.api("POST", "uploads", b"x", {"Content-Type": "multipart/form-data"}).problem(400, "invalid")
    body = form("b", (['Content-Disposition: form-data; name="f"'], b"no file"))
    headway.api("POST", "uploads", body, {"Content-Type": "multipart/form-data; boundary=b"}).problem(400, "invalid")


def test_a_part_of_a_file_is_not_taken_for_the_whole(headway, tmp_path):
    """What curl does when it is to go on with an upload (RFC 9110 §14.5)."""
    (tmp_path / "part.bin").write_bytes(b"0123456789")
    problem = curl(headway, "-C", "4", "-T", str(tmp_path / "part.bin"), f"{headway.address}/api/v1/uploads/")
    assert (problem["status"], problem["code"]) == (400, "invalid") and "tus" in problem["detail"]
    part = {"Content-Range": "bytes 4-9/10"}
    body = form("b", (['Content-Disposition: form-data; name="f"; filename="part.bin"'], b"456789"))
    headway.api("POST", "uploads", b"456789", part, name="part.bin").problem(400, "invalid")
    headway.api("POST", "uploads", body, {"Content-Type": "multipart/form-data; boundary=b", **part}).problem(400)
    assert headway.api("GET", "transfers", q="part.bin").json["transfers"] == []


@pytest.mark.parametrize("size", [1, 3, 70, 1000])
def test_chunks_of_any_size_are_put_together(headway, size):
    data = content(2_000)
    answer = replay(headway, "PUT", "/api/v1/uploads/chunks.bin", {"Transfer-Encoding": "chunked"}, chunked(data, size))
    assert answer.status == 201, answer.body
    assert answer.json["digest"] == digest(data)


@pytest.mark.parametrize("body", [b"x\r\n", b"5\nhello", b"5\r\nhelloX", b"fffffffffffffffff\r\n", b"-1\r\n", b"5 5\n"])
def test_broken_chunks_are_refused_and_nothing_is_kept(headway, body):
    answer = replay(headway, "PUT", "/api/v1/uploads/broken.bin", {"Transfer-Encoding": "chunked"}, body)
    assert answer.status == 400 and answer.json["code"] == "invalid"
    rows = headway.api("GET", "transfers", q="broken.bin").json["transfers"]
    assert rows[0]["outcome"] == "failed" and rows[0]["href"] is None


def test_a_kept_alive_connection_takes_one_upload_after_the_other(headway, tmp_path):
    (tmp_path / "f").write_bytes(content(100_000))
    urls = [word for n in range(4) for word in ("-T", str(tmp_path / "f"), f"{headway.address}/api/v1/uploads/k{n}")]
    done = subprocess.run(["curl", "-sS", "-v", "--max-time", str(PATIENCE), *urls], capture_output=True, text=True, check=True)
    assert done.stderr.count("< HTTP/1.1 201") == 4
    assert done.stderr.count("Re-using existing connection") == 3, done.stderr


def test_uploads_wait_for_no_place_and_run_together(headway, tmp_path):
    data = content(300_000)
    (tmp_path / "f").write_bytes(data)
    commands = [["curl", "-sS", "--max-time", str(PATIENCE), "-T", str(tmp_path / "f"), f"{headway.address}/api/v1/uploads/m{n}"]
                for n in range(20)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for command in commands]
    ids = {id_of(process.communicate()[0].decode()) for process in running}
    assert len(ids) == 20
    assert all(headway.transfer(id)["digest"] == digest(data) for id in ids)
