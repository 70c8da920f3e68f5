# SPDX-License-Identifier: Apache-2.0
"""An upload through nginx, set up as docs/operate.md says."""
import re
import shutil
import socket
import subprocess
import time

import pytest

from origin import content
from proxy import NGINX, nginx
from server import ROOT
from uploads import curl, id_of
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
        process.wait(10)


@pytest.mark.skipif(not shutil.which(NGINX), reason="nginx is not installed")
def test_it_moves_while_it_comes_and_links_lead_back(proxied, tmp_path):
    headway, address = proxied
    data = content(4_000_000)
    (tmp_path / "f.bin").write_bytes(data)
    with Viewer(headway).until_ready() as viewer:
        began = time.monotonic()
        answer = curl(headway, "--limit-rate", "2M", "-F", f"file=@{tmp_path / 'f.bin'}", f"{address}/api/v1/uploads")
        row = viewer.until_complete(id_of(answer))
        assert row["outcome"] == "succeeded" and row["bytes"] == len(data)
        moves = {f["bytes"] for f in viewer.probe.of(row["id"], "progress")}
        assert len(moves) >= 5 and time.monotonic() - began > 1, moves
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
