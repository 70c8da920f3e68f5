# SPDX-License-Identifier: Apache-2.0
"""Requests of all kinds, good and bad, one after the other on connections that are used again."""
import json
import re

from keep_alive import KeepAlive
from uploads import chunked, form

STREAM = {"Tus_Resumable": "1.0.0", "Content_Type": "application/offset+octet-stream"}


class Turns(KeepAlive):
    """`large` is the path of a file that no socket holds: the end of such an answer waits for room."""

    def __init__(self, dice, port, large):
        super().__init__(dice, port)
        self.large = large

    def content(self):
        return self.dice.randbytes(self.dice.choice([0, 1, 5, 100, 3_000, 70_000, 300_000]))

    def place(self):
        return f"/api/v1/uploads/turn-{self.dice.randrange(1 << 40)}.bin"

    def check(self, answer, data):
        made = json.loads(answer[1])
        assert made["bytes"] == len(data)
        if self.dice.random() < 0.3:
            assert self.ask(f"GET /api/v1/{made['href']}")[1] == data
        self.ask(f"DELETE /api/v1/transfers/{made['id']}?file=1", expected=[204])

    def put(self):
        data = self.content()
        more = {"Expect": "100-continue"} if data and self.dice.random() < 0.2 else {}
        waits = bool(more) and self.dice.random() < 0.7
        self.check(self.ask(f"PUT {self.place()}", data, [201], waits, Content_Length=len(data), **more), data)

    def put_chunked(self):
        data = self.content()
        self.check(self.ask(f"PUT {self.place()}", chunked(data, 50_000), [201], Transfer_Encoding="chunked"), data)

    def post_form(self):
        data = self.content()
        whole = form("b", (['Content-Disposition: form-data; name="f"; filename="form.bin"'], data))
        self.check(self.ask("POST /api/v1/uploads", whole, [201], Content_Type="multipart/form-data; boundary=b",
                            Content_Length=len(whole)), data)

    def draft(self):
        data = self.content()
        self.check(self.ask(f"PUT {self.place()}", data, [201], Content_Length=len(data), Upload_Complete="?1",
                            Upload_Draft_Interop_Version=6), data)

    def tus(self):
        data = self.content()
        at = self.dice.randrange(len(data) + 1)
        told, _ = self.ask("POST /api/v1/tus", data[:at], [201], **STREAM, Upload_Length=len(data), Content_Length=at)
        path = re.sub("^http://[^/]+", "", told["location"])
        while at < len(data):
            piece = data[at:at + max(1_000, self.dice.randrange(len(data)))]
            assert int(self.ask(f"HEAD {path}", Tus_Resumable="1.0.0")[0]["upload-offset"]) == at
            if self.dice.random() < 0.3:
                self.ask(f"PATCH {path}", b"wrong", [409], **STREAM, Upload_Offset=at + 1, Content_Length=5)
            self.ask(f"PATCH {path}", piece, [204], **STREAM, Upload_Offset=at, Content_Length=len(piece))
            at += len(piece)
        self.ask(f"DELETE {path}", expected=[204], Tus_Resumable="1.0.0")

    def get(self):
        path = self.dice.choice(["/api/v1/transfers", "/", "/scripts/main.js", "/api/v1/none"])
        self.ask(f"{self.dice.choice(['GET', 'GET', 'HEAD'])} {path}", expected=[200, 404])

    def get_large(self):
        self.ask(f"GET {self.large}")

    def get_with_body(self):
        body = b"x" * self.dice.choice([1, 100, 5_000])
        self.ask("GET /api/v1/transfers", body, Content_Length=len(body))

    def preflight(self):
        self.ask("OPTIONS /api/v1/uploads", expected=[204])

    def command(self):
        order = json.dumps({"op": "none"}).encode()
        self.ask("POST /api/v1/transfers", order, [400], Content_Type="application/json", Content_Length=len(order))

    def wrong(self):
        """It is refused, and its body is read or not."""
        body = self.content()
        line, status = self.dice.choice([("POST /api/v1/uploads", 400), ("POST /api/v1/tus", 412),
                                         ("PATCH /api/v1/tus/none", 412), ("DELETE /api/v1/transfers/none", 404)])
        self.ask(line, body, [status, 413], Content_Length=len(body))

    def version10(self):
        data = self.content()
        self.ask(f"PUT {self.place()}", data, [201], version="1.0", Content_Length=len(data))

    kinds = [put, put, put, put_chunked, post_form, draft, tus, get, get, get_large, get_with_body, preflight, command,
             wrong, version10]
