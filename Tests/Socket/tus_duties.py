# SPDX-License-Identifier: Apache-2.0
"""What tus 1.0.0 asks of a server, a row for each duty: played to any server, ours or another one."""
import base64
import hashlib
import http.client
import re
import time
from dataclasses import dataclass, field

from patience import PATIENCE
from server import ask

VERSION = {"Tus-Resumable": "1.0.0"}
STREAM = {"Content-Type": "application/offset+octet-stream"}


def append(offset, **more):
    return {**VERSION, **STREAM, "Upload-Offset": str(offset), **{k.replace("_", "-"): v for k, v in more.items()}}


def sha1(data):
    return "sha1 " + base64.b64encode(hashlib.sha1(data).digest()).decode()


@dataclass
class Duty:
    """One request, and what has to come of it."""
    name: str
    method: str
    headers: dict
    # Which statuses fulfil it.
    status: tuple
    body: bytes = None
    # The upload that it goes to: with which headers it was made, and what it has; without, it goes to the endpoint.
    upload: dict = None
    has: bytes = b""
    # What a look at the upload says afterwards: its offset, or None where it has to be gone.
    offset: object = "unasked"
    # Whether the connection breaks when the body is there and five bytes more were announced.
    breaks: bool = False
    # Headers of the answer: a value, None where one has to be there, whatever it is, or ABSENT.
    tells: dict = field(default_factory=dict)
    # What of the endpoint's it goes to, if it is neither the endpoint itself nor an upload.
    at: str = ""


NOBODY = "01a22bc3-2aeb-7abe-bfe2-ba6a614d7239"
ABSENT = "not there"
TEN = {"Upload-Length": "10"}
LATER = {"Upload-Defer-Length": "1"}
DUTIES = [
    Duty("OPTIONS says the version and the extensions", "OPTIONS", {}, (200, 204),
         tells={"Tus-Version": "1.0.0", "Tus-Extension": None}),
    Duty("OPTIONS ignores the version that was named", "OPTIONS", {"Tus-Resumable": "0.0.1"}, (200, 204)),
    Duty("a creation without a version is refused", "POST", TEN, (412,), b"", tells={"Tus-Version": None}),
    Duty("a creation with another version is refused", "POST", {"Tus-Resumable": "0.2.2", **TEN}, (412,), b"",
         tells={"Tus-Version": None}),
    Duty("OPTIONS says how chunks may be checked", "OPTIONS", {}, (200, 204), tells={"Tus-Checksum-Algorithm": None}),
    Duty("a look with another version is refused", "HEAD", {"Tus-Resumable": "0.2.2"}, (412,), None, TEN, offset=0),
    Duty("an append with another version is refused", "PATCH", {**append(0), "Tus-Resumable": "0.2.2"}, (412,), b"x", TEN,
         offset=0),
    Duty("a creation has a length or defers it", "POST", VERSION, (400,), b""),
    Duty("a length is no negative number", "POST", {**VERSION, "Upload-Length": "-1"}, (400,), b""),
    Duty("a length is a number", "POST", {**VERSION, "Upload-Length": "ten"}, (400,), b""),
    Duty("a length and its deferral exclude each other", "POST", {**VERSION, **TEN, **LATER}, (400,), b""),
    Duty("a deferral can only be 1", "POST", {**VERSION, "Upload-Defer-Length": "2"}, (400,), b""),
    Duty("a creation tells the place", "POST", {**VERSION, **TEN}, (201,), b"",
         tells={"Location": None, "Tus-Resumable": "1.0.0"}),
    Duty("names in metadata are unique", "POST", {**VERSION, **TEN, "Upload-Metadata": "a YQ==,a YQ=="}, (400,), b""),
    Duty("values in metadata are base64", "POST", {**VERSION, **TEN, "Upload-Metadata": "a ***"}, (400,), b""),
    Duty("metadata is told as it was given", "HEAD", VERSION, (200, 204), None, {**TEN, "Upload-Metadata": "a YQ==,b"},
         tells={"Upload-Metadata": "a YQ==,b"}),
    Duty("a look tells offset and length, and is not kept", "HEAD", VERSION, (200, 204), None, TEN, b"12345",
         tells={"Upload-Offset": "5", "Upload-Length": "10", "Cache-Control": "no-store", "Tus-Resumable": "1.0.0"}),
    Duty("a look tells that the length was deferred", "HEAD", VERSION, (200, 204), None, LATER, b"12345",
         tells={"Upload-Offset": "5", "Upload-Defer-Length": "1"}),
    Duty("a look at what is not there tells no offset", "HEAD", VERSION, (403, 404, 410), at="/" + NOBODY,
         tells={"Upload-Offset": ABSENT}),
    Duty("nothing can be put behind what is not there", "PATCH", append(0), (403, 404, 410), b"x", at="/" + NOBODY),
    Duty("an append tells the new offset", "PATCH", append(0), (204,), b"12345", TEN, offset=5,
         tells={"Upload-Offset": "5", "Tus-Resumable": "1.0.0"}),
    Duty("the last append ends at the length", "PATCH", append(5), (204,), b"67890", TEN, b"12345", offset=10,
         tells={"Upload-Offset": "10"}),
    Duty("an append of another type is refused", "PATCH", {**append(0), "Content-Type": "text/plain"}, (415,), b"x", TEN,
         offset=0),
    Duty("an append says where it belongs", "PATCH", {**VERSION, **STREAM}, (400,), b"x", TEN, offset=0),
    Duty("an append behind the offset changes nothing", "PATCH", append(4), (409,), b"x", TEN, b"12345", offset=5),
    Duty("an append before the offset changes nothing", "PATCH", append(6), (409,), b"x", TEN, b"12345", offset=5),
    Duty("an append beyond the length changes nothing", "PATCH", append(5), (400, 413), b"678901", TEN, b"12345", offset=5),
    Duty("an empty file is whole at once", "HEAD", VERSION, (200, 204), None, {"Upload-Length": "0"},
         tells={"Upload-Offset": "0", "Upload-Length": "0"}),
    Duty("the first bytes may come with the creation", "POST", {**VERSION, **TEN, **STREAM}, (201,), b"12345",
         tells={"Location": None, "Upload-Offset": "5"}),
    Duty("all of it may come with the creation", "POST", {**VERSION, "Upload-Length": "5", **STREAM}, (201,), b"12345",
         tells={"Location": None, "Upload-Offset": "5"}),
    Duty("an append that breaks off keeps what came", "PATCH", append(0), (), b"12345", TEN, offset=5, breaks=True),
    Duty("an append tells when the upload expires", "PATCH", append(0), (204,), b"12345", TEN,
         tells={"Upload-Expires": None}),
    Duty("the length may be told with an append", "PATCH", append(5, Upload_Length="7"), (204,), b"67", LATER, b"12345",
         offset=7),
    Duty("a length that was told stays", "PATCH", append(5, Upload_Length="11"), (400, 409, 412), b"6", TEN, b"12345", offset=5),
    Duty("a length can't be below what is there", "PATCH", append(5, Upload_Length="3"), (400, 409, 412, 413), b"", LATER,
         b"12345", offset=5),
    Duty("a chunk with its checksum is taken", "PATCH", append(0, Upload_Checksum=sha1(b"12345")), (204,), b"12345", TEN,
         offset=5),
    Duty("a chunk with another one is thrown away", "PATCH", append(0, Upload_Checksum=sha1(b"other")), (460,), b"12345",
         TEN, offset=0),
    Duty("an unknown checksum is refused", "PATCH", append(0, Upload_Checksum="crc0 AAAA"), (400,), b"12345", TEN, offset=0),
    Duty("a checksum is base64", "PATCH", append(0, Upload_Checksum="sha1 ***"), (400,), b"12345", TEN, offset=0),
    Duty("termination ends it", "DELETE", VERSION, (204,), None, TEN, b"12345", offset=None),
    Duty("termination wants a version", "DELETE", {}, (412,), None, TEN, offset=0),
    Duty("a POST may stand for an append", "POST", {**append(0), "X-HTTP-Method-Override": "PATCH"}, (204,), b"12345", TEN,
         offset=5),
    Duty("a POST may stand for a termination", "POST", {**VERSION, "X-HTTP-Method-Override": "DELETE"}, (204,), b"", TEN,
         offset=None),
]


class Endpoint:
    """A tus server's address."""

    def __init__(self, port, path):
        self.port, self.path = port, path

    def ask(self, method, path, headers, body=None):
        return ask(self.port, method, path, body, headers)

    def make(self, headers):
        answer = self.ask("POST", self.path, {**VERSION, "Content-Length": "0", **headers}, b"")
        assert answer.status == 201, answer.status
        return re.sub(r"^https?://[^/]+", "", answer.headers["Location"])

    def break_off(self, path, headers, body):
        """Sends that body and closes, with five bytes more announced; returns when the server has kept some of it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("PATCH", path, body, {**headers, "Content-Length": str(len(body) + 5)})
        connection.close()
        end = time.monotonic() + PATIENCE
        while self.offset(path) == "0" and time.monotonic() < end:
            time.sleep(0.02)

    def offset(self, path):
        return self.ask("HEAD", path, VERSION).headers["Upload-Offset"]

    def play(self, duty):
        """What is not as it should be; nothing when the duty is fulfilled."""
        path = self.path + duty.at if duty.upload is None else self.make(duty.upload)
        if duty.has:
            first = self.ask("PATCH", path, append(0), duty.has)
            if first.status != 204:
                return f"status {first.status} to the first append"
        wrong = []
        if duty.breaks:
            self.break_off(path, duty.headers, duty.body)
        else:
            answer = self.ask(duty.method, path, duty.headers, duty.body)
            if answer.status not in duty.status:
                wrong.append(f"status {answer.status}")
            if duty.method != "OPTIONS" and answer.headers["Tus-Resumable"] != "1.0.0":
                wrong.append(f"Tus-Resumable: {answer.headers['Tus-Resumable']}")
            wrong += [f"{name}: {answer.headers[name]}" for name, value in duty.tells.items()
                      if not is_told(answer.headers[name], value)]
        if duty.offset != "unasked":
            look = self.ask("HEAD", path, VERSION)
            if duty.offset is None and (look.status not in (404, 410) or look.headers["Upload-Offset"] is not None):
                wrong.append(f"it is still there: {look.status}")
            if duty.offset is not None and look.headers["Upload-Offset"] != str(duty.offset):
                wrong.append(f"offset {look.headers['Upload-Offset']}")
        return ", ".join(wrong)


def is_told(found, wanted):
    return found is None if wanted == ABSENT else found is not None and wanted in (None, found)
