# SPDX-License-Identifier: Apache-2.0
"""openapi.json and asyncapi.json say what the server does, no more and no less."""
import json
import re

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from frame_probe import FIXTURES, SCHEMA
from raw_socket import RawSocket
from server import ROOT
from uploads import id_of, place, create

OPENAPI = json.loads((ROOT / "web/api/v1/openapi.json").read_text("utf-8"))
ASYNCAPI = json.loads((ROOT / "web/api/v1/asyncapi.json").read_text("utf-8"))
METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
# A file of several is there only where a form brought them: test_uploads asks for those.
OPERATIONS = [(path, method) for path, item in OPENAPI["paths"].items() for method in METHODS
              if method in item and "{number}" not in path]


def pointed_at(document, pointer):
    for name in pointer.removeprefix("#/").split("/"):
        document = document[name.replace("~1", "/").replace("~0", "~")]
    return document


def references(value):
    if isinstance(value, dict):
        yield from ([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for member in value:
            yield from references(member)


def schema(document, name):
    """A schema of a document, by itself."""
    whole = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": document["components"]["schemas"]}}
    return jsonschema.Draft202012Validator(whole)


def address(path):
    """Below which the path is: a description stands at /api/v1/, and so do most paths."""
    servers = OPENAPI["paths"][path].get("servers") or OPENAPI["servers"]
    return {"./": "/api/v1", "../../": ""}[servers[0]["url"]] + path


@pytest.fixture
def stored(headway, origin):
    """A transfer whose file is stored."""
    return headway.ended(headway.download(origin.url("/file/1000/described.bin")).transfer(201)["id"])


@pytest.fixture
def ids(headway, stored):
    """The id that stands for `{id}` in a path: of a stored file, or of an upload that goes on that way."""
    draft = {"Upload-Draft-Interop-Version": "8", "Upload-Complete": "?0", "Content-Length": "0"}

    def id(path):
        if path.startswith("/tus/"):
            return place(create(headway, 10)).rsplit("/", 1)[1]
        if path.startswith("/resumable/"):
            return id_of(headway.api("POST", "uploads", b"", draft, name="described").headers["Location"])
        return stored["id"]

    return id


@pytest.mark.parametrize("name,document", [("openapi", OPENAPI), ("asyncapi", ASYNCAPI)])
def test_it_is_served(headway, name, document):
    answer = headway.api("GET", f"{name}.json")
    assert answer.status == 200 and answer.json == document
    assert answer.headers["Content-Type"] == "application/json"
    assert document["info"]["version"] == headway.api("GET", "openapi.json").json["info"]["version"]
    assert all(pointed_at(document, reference) for reference in references(document))


def test_openapi_is_valid():
    assert [str(error)[:300] for error in OpenAPIV31SpecValidator(OPENAPI).iter_errors()] == []


def test_the_version_is_the_servers(viewer):
    assert viewer.probe.hello["server"] == f"Headway/{OPENAPI['info']['version']}"


@pytest.mark.parametrize("path,method", OPERATIONS)
def test_each_operation_is_answered(headway, ids, path, method):
    """With nothing in the request that would please it: but never "there is nothing" or "not possible here"."""
    target = address(path).replace("{id}", ids(path)).replace("{name}", "any")
    with RawSocket(headway.port) as peer:
        peer.head(method.upper(), target, {"Content-Length": "0"} if method == "post" else {})
        status = peer.status()
    # The stored transfer is a download, to which nobody has answered.
    assert status not in ((405, 500) if path.endswith("/result") else (404, 405, 500)), f"{method} {target}: {status}"
    assert str(status) in OPENAPI["paths"][path][method]["responses"], f"{method} {target}: {status} is not described"


@pytest.mark.parametrize("path", OPENAPI["paths"])
def test_no_operation_is_left_out(headway, stored, path):
    target = address(path).replace("{id}", stored["id"]).replace("{number}", "1").replace("{name}", "any")
    other = next(method for method in METHODS if method not in (*OPENAPI["paths"][path], "get", "head"))
    answer = headway.request(other.upper(), target, headers={"Content-Length": "0"})
    answer.problem(405)
    allowed = {method.strip().lower() for method in answer.headers["Allow"].split(",")}
    assert allowed == {method for method in METHODS if method in OPENAPI["paths"][path]}


def test_no_path_of_the_router_is_left_out():
    """The router names its paths by their number of parts and the first of them, or leaves the number to another one."""
    source = (ROOT / "Sources/HeadwayServer/Routes/Coordinator+Routes.swift").read_text("utf-8")
    routed = {(int(parts), first) for parts, first in re.findall(r'\((\d+), "([^"]+)"\)', source)}
    assert len(routed) > 10, "the router looks different: this test has to learn it"
    described = {(path.count("/"), path.split("/")[1]) for path in OPENAPI["paths"]}
    elsewhere = set(re.findall(r'\(_, "([^"]+)"\)', source)) - {"api"}
    assert routed == {(parts, first) for parts, first in described if first not in elsewhere}
    assert elsewhere == {"uploads", "tus", "resumable"} and elsewhere <= {first for _, first in described}


def test_answers_are_as_described(headway, stored):
    assert schema(OPENAPI, "stampedTransfer").is_valid(headway.api("GET", f"transfers/{stored['id']}").json)
    assert schema(OPENAPI, "rates").is_valid(headway.api("GET", f"transfers/{stored['id']}/rates").json)
    assert schema(OPENAPI, "notices").is_valid(headway.api("GET", "notices").json)
    assert schema(OPENAPI, "page").is_valid(headway.api("GET", "transfers", limit=5).json)
    assert schema(OPENAPI, "httpProblem").is_valid(headway.api("GET", "transfers", limit=0).problem(400))
    for body in ({"kind": "task", "name": "a"}, {"kind": "demo", "total": 5},
                 {"kind": "download", "url": "http://10.0.0.1/", "headers": {"A": "b"}}):
        assert schema(OPENAPI, "creation").is_valid(body)
    for body in ({"kind": "push", "file": stored["id"], "url": "http://10.0.0.1/"},
                 {"kind": "push", "from": "http://10.0.0.1/", "keep": True, "to": ["http://10.0.0.1/", {"url": "x", "body": "raw"}]}):
        assert schema(OPENAPI, "creation").is_valid(body) and headway.api("POST", "transfers", body).status in (400, 403)
    for body in ({}, {"kind": "demo", "total": -1}, {"kind": "download"}, {"kind": "teleport"},
                 {"kind": "push", "file": stored["id"], "from": "http://h/", "url": "http://h/"}, {"kind": "push", "from": "http://h/"},
                 {"kind": "push", "file": stored["id"], "url": "http://h/", "to": ["http://h/"]},
                 {"kind": "push", "file": stored["id"], "to": []}):
        assert not schema(OPENAPI, "creation").is_valid(body)
        assert headway.api("POST", "transfers", body).status in (400, 422)


def test_both_have_the_schemas_that_the_frames_are_tested_with():
    kept = json.loads(json.dumps(SCHEMA["$defs"]).replace("#/$defs/", "#/components/schemas/"))
    del kept["unknown"]
    for document in (OPENAPI, ASYNCAPI):
        described = document["components"]["schemas"]
        assert {"transfer", "problem", "figures"} <= described.keys()
        assert all(described[name] == kept[name] for name in described.keys() & kept.keys())


def test_each_sample_frame_is_one_of_the_messages():
    frames = {name for name in ASYNCAPI["channels"]["events"]["messages"]} | {"ack"}
    seen = set()
    for line in (FIXTURES / "frames.ndjson").read_text("utf-8").splitlines():
        frame = json.loads(line)
        if frame.get("type") in frames:
            seen.add(frame["type"])
            assert list(schema(ASYNCAPI, frame["type"]).iter_errors(frame)) == []
    assert seen == frames


def test_each_command_of_the_description_is_known_and_no_other(headway, viewer):
    described = {reference["$ref"].split("/")[-1] for reference in ASYNCAPI["operations"]["takeCommands"]["messages"]}
    words = {ASYNCAPI["components"]["messages"][name]["name"]: name for name in described}
    source = (ROOT / "docs/protocol.md").read_text("utf-8").split("## Commands")[1].split("\n## ")[0]
    assert words.keys() == {word for row in re.findall(r"^\| (`[a-z`, ]+`) \|", source, re.M)
                            for word in re.findall(r"`([a-z]+)`", row)} - {"op"}
    id = headway.demo(total=10**9, rate=1000).transfer(201)["id"]
    nowhere = "00000000-0000-7000-8000-000000000000"
    samples = {"download": {"url": "http://10.0.0.1/a"}, "push": {"url": "http://10.0.0.1/a", "file": nowhere},
               "demo": {"total": 1}, "pace": {"interval": 1000}, "watch": {},
               "task": {"name": "mine"}, "report": {"id": id, "bytes": 1}, "change": {"id": id, "priority": 1, "maxRate": None}, "sync": {}, "ping": {},
               **{word: {"id": id} for word in ("pause", "resume", "start", "cancel", "retry", "delete")}}
    for word, members in samples.items():
        check = schema(ASYNCAPI, words[word].removeprefix("message"))
        assert check.is_valid({"op": word, "ref": "r", **members})
        assert not check.is_valid({"op": word, "ref": 7, **members})
        ack = viewer.ask(word, **members)
        assert ack["ok"] or ack["error"]["code"] in ("blocked-address", "wrong-state", "not-found"), ack
