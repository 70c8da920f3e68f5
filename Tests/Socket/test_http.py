# SPDX-License-Identifier: Apache-2.0
import http.client
import json
import subprocess

import pytest

from patience import PATIENCE
from server import NOBODYS_ID, Headway


def test_health(headway):
    for path in ("/healthz", "/readyz"):
        answer = headway.request("GET", path)
        assert answer.status == 200 and answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/nowhere", "/api/v1/nowhere", "/api/v1", "/api/v2/transfers", "/api/v1/transfers/x/y/z",
                                  "/../etc/passwd", "/%2e%2e/etc/passwd", "/scripts/", "/.git/config"])
def test_what_is_not_there(headway, path):
    answer = headway.request("GET", path)
    assert answer.status in (400, 404)
    answer.problem(answer.status)


@pytest.mark.parametrize("method,path,allowed", [
    ("PUT", "/api/v1/transfers", {"GET", "POST", "DELETE"}), ("PUT", "/healthz", {"GET"}), ("POST", "/", {"GET", "HEAD"}),
    ("GET", f"/api/v1/transfers/{NOBODYS_ID}/pause", {"POST"}), ("PATCH", "/api/v1/events", {"GET"}),
    ("POST", f"/api/v1/transfers/{NOBODYS_ID}", {"GET", "DELETE"}),
])
def test_a_wrong_method_names_the_right_ones(headway, method, path, allowed):
    answer = headway.request(method, path)
    answer.problem(405)
    assert allowed <= {m.strip() for m in answer.headers["Allow"].split(",")}


@pytest.mark.parametrize("body", [
    b"", b"nonsense", b"[]", b"{}", b'{"kind":7}', b'{"kind":"spell"}', b'{"kind":"download"}', b'{"kind":"demo"',
    b'{"kind":"demo","total":"x"}', b'{"kind":"download","url":"http://a/","name":7}', b"\xff\xfe", b"{" * 3000,
    b'{"kind":"download","url":""}', b'{"kind":"download","url":"file:///etc/passwd"}',
])
def test_a_body_that_makes_no_sense(headway, body):
    answer = headway.api("POST", "transfers", body, {"Content-Type": "application/json"})
    assert answer.status in (400, 422), answer.body
    assert answer.problem(answer.status)["detail"]


def test_unknown_members_are_ignored(headway):
    headway.demo(total=1, rate=1_000_000, mood="fine").transfer(201)


def test_a_json_answer_ends_its_line(headway):
    made = headway.demo(total=1, rate=1_000_000)
    for answer in (made, headway.api("GET", f"transfers/{made.json['id']}"), headway.api("GET", "limits"),
                   headway.api("GET", "transfers"), headway.api("GET", "nowhere"), headway.api("PATCH", "tus/1"),
                   headway.request("GET", "/", headers={"Host": "evil.example"})):
        assert answer.body.endswith(b"}\n") and answer.body.count(b"\n") == 1, answer.body
        assert answer.headers["Content-Length"] == str(len(answer.body))


def test_a_body_that_is_too_long(headway):
    answer = headway.api("POST", "transfers", b'{"kind":"demo","pad":"' + b"x" * 2_000_000 + b'"}',
                         {"Content-Type": "application/json"})
    answer.problem(413, "too-large")


@pytest.mark.parametrize("id", [NOBODYS_ID, "nonsense", "a" * 3000])
def test_a_transfer_that_is_not_there(headway, id):
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/pause"), ("POST", "/retry")):
        headway.api(method, f"transfers/{id}{path}").problem(404, "not-found")


def test_the_list_has_everything_newest_first_in_pages(fresh):
    headway = fresh()
    ids = [headway.demo(total=1, rate=1_000_000, name=f"n{n}").transfer(201)["id"] for n in range(7)]
    for id in ids:
        headway.ended(id)
    seen, after = [], None
    while True:
        page = headway.api("GET", "transfers", limit=3, **({"after": after} if after else {})).json
        assert page["seq"] >= 0 and len(page["transfers"]) <= 3
        seen += [t["id"] for t in page["transfers"]]
        after = page["next"]
        if after is None:
            break
    assert seen == ids[::-1]


def test_the_list_can_be_filtered(fresh):
    headway = fresh()
    failed = headway.demo(total=9, rate=1_000_000, failAt=5, group="g", name="needle.bin").transfer(201)["id"]
    other = headway.demo(total=1, rate=1_000_000).transfer(201)["id"]
    for id in (failed, other):
        headway.ended(id)

    def found(**query):
        return [t["id"] for t in headway.api("GET", "transfers", **query).json["transfers"]]
    assert found(state="failed") == found(group="g") == found(q="needle") == [failed]
    assert found(kind="download") == []
    assert set(found(kind="demo")) == {failed, other}


@pytest.mark.parametrize("query", [{"limit": "x"}, {"limit": -1}, {"limit": 10**9}, {"after": "nonsense"}])
def test_a_bogus_page_is_an_error_or_the_default(headway, query):
    answer = headway.api("GET", "transfers", **query)
    if answer.status != 200:
        answer.problem(400, "invalid")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    web = tmp_path_factory.mktemp("web")
    (web / "scripts").mkdir()
    (web / "index.html").write_text("<!doctype html><title>ü</title>")
    (web / "scripts/a.js").write_text("export {};")
    (web / "empty.css").write_text("")
    (web.parent / "secret.txt").write_text("not for you")
    (web / "link.txt").symlink_to(web.parent / "secret.txt")
    (web / "up").symlink_to(web.parent)
    server = Headway(tmp_path_factory.mktemp("data"), web)
    yield server
    assert server.stop() == 0


class TestThePage:
    def test_the_root_is_the_index(self, site):
        answer = site.request("GET", "/")
        assert answer.status == 200 and "ü" in answer.body.decode()
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"

    @pytest.mark.parametrize("path,type", [("/scripts/a.js", "text/javascript"), ("/empty.css", "text/css")])
    def test_types(self, site, path, type):
        answer = site.request("GET", path)
        assert answer.status == 200 and answer.headers["Content-Type"].startswith(type)

    def test_headers_keep_others_out(self, site):
        headers = site.request("GET", "/").headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy or "default-src 'none'" in policy
        assert "unsafe" not in policy and "frame-ancestors" in policy
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"]

    def test_an_unchanged_file_is_304(self, site):
        etag = site.request("GET", "/scripts/a.js").headers["ETag"]
        for sent in (etag, f'"x", {etag}', "*", "W/" + etag.removeprefix("W/")):
            again = site.request("GET", "/scripts/a.js", headers={"If-None-Match": sent})
            assert (again.status, again.body) == (304, b""), sent
            assert again.headers["ETag"] == etag
        assert site.request("GET", "/scripts/a.js", headers={"If-None-Match": '"other"'}).status == 200

    def test_head_is_get_without_the_body(self, site):
        get, head = site.request("GET", "/"), site.request("HEAD", "/")
        assert (head.status, head.body) == (200, b"")
        assert head.headers["Content-Length"] == get.headers["Content-Length"] == str(len(get.body))
        assert head.headers["ETag"] == get.headers["ETag"]

    @pytest.mark.parametrize("path", ["/link.txt", "/up/secret.txt", "/up", "/scripts/../../secret.txt",
                                      "/%2e%2e/secret.txt", "//secret.txt", "/scripts/%2e%2e/%2e%2e/secret.txt"])
    def test_nothing_from_outside_the_folder(self, site, path):
        answer = site.request("GET", path)
        assert answer.status in (400, 404) and b"not for you" not in answer.body


def test_an_address_of_too_many_parts_is_cut_and_nobody_else_notices(headway, viewer):
    # libwebsockets gives no answer, only a warning: the first one of a run once ended the process.
    for _ in range(3):
        with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
            headway.api("GET", "events", group=[str(n) for n in range(120)])
    assert viewer.ask("ping")["ok"]


def test_an_action_needs_no_body(headway):
    """As one types it: `curl -X POST` says nothing of a length."""
    id = headway.demo(total=1_000_000, rate=1000).transfer(201)["id"]
    for action, state in (("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
        link = f"{headway.address}/api/v1/transfers/{id}/{action}"
        done = subprocess.run(["curl", "-sS", "--max-time", str(PATIENCE), "-X", "POST", "-w", "\n%{http_code}", link],
                              capture_output=True, text=True, check=True)
        body, status = done.stdout.rsplit("\n", 1)
        assert status == "200" and json.loads(body)["id"] == id, done.stdout
        headway.wait_for(id, lambda transfer: transfer["state"] == state)
