# SPDX-License-Identifier: Apache-2.0
import urllib.parse

import pytest

from origin import content

SIZE = 100_000


@pytest.fixture(scope="module")
def stored(headway, origin):
    """A stored file with a name that is hard to write: its transfer and its path."""
    name = urllib.parse.quote('テスト "資料".pdf')
    id = headway.download(origin.url(f"/file/{SIZE}/{name}")).transfer(201)["id"]
    transfer = headway.ended(id)
    assert transfer["outcome"] == "succeeded", transfer
    return transfer, "/api/v1/" + transfer["href"]


def test_the_file_is_whole(headway, stored):
    transfer, path = stored
    answer = headway.request("GET", path)
    assert answer.status == 200 and answer.body == content(SIZE)
    assert answer.headers["Accept-Ranges"] == "bytes" and answer.headers["ETag"]
    assert headway.request("GET", f"/api/v1/files/{transfer['id']}/another-name").body == content(SIZE)


def test_it_is_an_attachment_that_can_do_nothing(headway, stored):
    headers = headway.request("GET", stored[1]).headers
    disposition = headers["Content-Disposition"]
    assert disposition.startswith("attachment") and "filename*=UTF-8''" in disposition and disposition.isascii()
    assert urllib.parse.unquote(disposition.split("UTF-8''")[1].split(";")[0]) == stored[0]["name"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in headers["Content-Security-Policy"]


def test_head(headway, stored):
    head = headway.request("HEAD", stored[1])
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", str(SIZE))


@pytest.mark.parametrize("range,first,end", [
    ("bytes=0-0", 0, 1), ("bytes=10-19", 10, 20), ("bytes=99990-", 99_990, SIZE), ("bytes=-5", SIZE - 5, SIZE),
    ("bytes=50000-999999999999", 50_000, SIZE), ("bytes=-999999999", 0, SIZE),
])
def test_a_range(headway, stored, range, first, end):
    answer = headway.request("GET", stored[1], headers={"Range": range})
    assert answer.status == 206 and answer.body == content(SIZE)[first:end]
    assert answer.headers["Content-Range"] == f"bytes {first}-{end - 1}/{SIZE}"


@pytest.mark.parametrize("range", [f"bytes={SIZE}-", "bytes=-0", "bytes=999999999999999999999-"])
def test_a_range_beyond_the_end(headway, stored, range):
    answer = headway.request("GET", stored[1], headers={"Range": range})
    answer.problem(416)
    assert answer.headers["Content-Range"] == f"bytes */{SIZE}"


@pytest.mark.parametrize("range", ["bytes=9-1", "bytes=x-", "lines=1-2", "bytes=", "bytes 1-2"])
def test_a_range_that_is_none_is_ignored(headway, stored, range):
    answer = headway.request("GET", stored[1], headers={"Range": range})
    assert answer.status == 200 and len(answer.body) == SIZE


def test_if_range(headway, stored):
    etag = headway.request("HEAD", stored[1]).headers["ETag"]
    same = headway.request("GET", stored[1], headers={"Range": "bytes=5-9", "If-Range": etag})
    assert (same.status, same.body) == (206, content(SIZE)[5:10])
    other = headway.request("GET", stored[1], headers={"Range": "bytes=5-9", "If-Range": '"other"'})
    assert other.status == 200 and len(other.body) == SIZE


def test_if_none_match(headway, stored):
    etag = headway.request("HEAD", stored[1]).headers["ETag"]
    assert headway.request("GET", stored[1], headers={"If-None-Match": etag}).status == 304


def test_files_that_are_not_there(headway, stored):
    id = stored[0]["id"]
    other = id[:-1] + ("1" if id[-1] == "0" else "0")
    for path in ("files/nonsense/a", f"files/{other}/a", "files/", "files"):
        headway.api("GET", path).problem(404)


def test_what_brings_no_file_has_none_while_it_runs_either(headway):
    id = headway.demo(total=10_000_000, rate=1).transfer(201)["id"]
    headway.api("GET", f"files/{id}/a").problem(404, "not-found")
    headway.api("POST", f"transfers/{id}/cancel")
