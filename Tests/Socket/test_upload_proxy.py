# SPDX-License-Identifier: Apache-2.0
"""An upload through nginx, set up as docs/operate.md says."""
import re
import shutil
import socket
import subprocess

import pytest

from origin import content
from patience import PATIENCE
from proxy import NGINX, nginx
from raw_socket import RawSocket
from server import ROOT
from uploads import curl, form, id_of, read_answer
from viewer import Viewer


@pytest.fixture
def proxied(fresh, tmp_path, request):
    """A server behind nginx, and the address that nginx gives it; as a parameter: the line that is left out."""
    headway = fresh("--trust-proxy", "127.0.0.1/32")
    location = re.search(r"    location /headway/ \{\n.*?\n    \}\n", (ROOT / "docs/operate.md").read_text(), re.S)[0]
    without = getattr(request, "param", None)
    assert without is None or without in location
    location = location.replace(without, "") if without else location
    folders = "".join(f"{kind}_temp_path {tmp_path}/{kind};\n"
                      for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid;\nerror_log {tmp_path}/error.log;\nevents {{}}\nhttp {{\naccess_log off;\n"
        f"{folders}server {{\nlisten 127.0.0.1:{port};\n{location.replace('127.0.0.1:8080', headway.address[7:])}}}\n}}\n")
    with listener:
        process = nginx(tmp_path, listener)
    try:
        yield headway, f"http://127.0.0.1:{port}/headway"
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.mark.skipif(not shutil.which(NGINX), reason="nginx is not installed")
def test_it_moves_while_it_comes_and_links_lead_back(proxied, tmp_path):
    headway, address = proxied
    data = content(4_000_000)
    body = form("b", (['Content-Disposition: form-data; name="file"; filename="f.bin"'], data))
    begin, port = body.index(data), int(address.split(":")[2].split("/")[0])
    with Viewer(headway).until_ready() as viewer, RawSocket(port) as peer:
        peer.head("POST", "/headway/api/v1/uploads", {
            "Content-Type": "multipart/form-data; boundary=b", "Content-Length": str(len(body))})
        peer.send(body[:begin])
        # The next piece comes only when everybody has seen those before it. (A few bytes may be the delimiter's first.)
        for at in range(0, len(data), 800_000):
            peer.send(data[at:at + 800_000])
            viewer.until(lambda f: f.get("bytes", 0) > at + 790_000)
        peer.send(body[begin + len(data):])
        answer = read_answer(peer)
        assert answer.status == 201, answer.body
        row = viewer.until_complete(answer.json["id"])
        assert row["outcome"] == "succeeded" and row["bytes"] == len(data)
        assert headway.api("GET", row["href"]).body == data
    created = subprocess.run(["curl", "-sSi", "-X", "POST", "-H", "Tus-Resumable: 1.0.0", "-H", "Upload-Length: 1",
                              "-d", "", f"{address}/api/v1/tus"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"(?mi)^location: (\S+)", created)[1].startswith(f"{address}/api/v1/tus/")


@pytest.mark.skipif(not shutil.which(NGINX), reason="nginx is not installed")
@pytest.mark.parametrize("proxied", ["proxy_request_buffering off;"], indirect=True)
def test_a_proxy_that_collects_first_changes_no_byte(proxied, tmp_path):
    """Everybody sees it late, and then all at once; what is stored is what was sent."""
    headway, address = proxied
    data = content(2_000_000)
    (tmp_path / "f.bin").write_bytes(data)
    with Viewer(headway).until_ready() as viewer:
        id = id_of(curl(headway, "-F", f"file=@{tmp_path / 'f.bin'}", f"{address}/api/v1/uploads"))
        row = viewer.until_complete(id)
    assert (row["outcome"], row["bytes"]) == ("succeeded", len(data))
    assert headway.api("GET", row["href"]).body == data
