# SPDX-License-Identifier: Apache-2.0
"""nginx on the loopback with one file of random bytes, given at a known pace."""

import contextlib
import hashlib
import os
import socket
import subprocess
import time

from server import PATIENCE, ports

# nginx's worker would be nobody, who can't get into a test's folder; who is not root is told that the line is ignored.
CONFIGURATION = """user root; daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; sendfile on; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {folder}/origin; limit_rate {rate}; }}
}}
"""


@contextlib.contextmanager
def large_origin(folder, size, rate):
    """Gives the link, the file and its SHA-256; `size` in bytes, `rate` as nginx writes it, a second."""
    (folder / "origin").mkdir(parents=True)
    file = folder / "origin" / "large.bin"
    digest = hashlib.sha256()
    with open(file, "wb") as out:
        for _ in range(size >> 20):
            piece = os.urandom(1 << 20)
            digest.update(piece)
            out.write(piece)
    held = ports.held()
    port = ports.port_of(held)
    (folder / "nginx.conf").write_text(CONFIGURATION.format(folder=folder, port=port, rate=rate))
    with open(folder / "nginx.out", "wb") as out:
        nginx = subprocess.Popen(["nginx", "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf"],
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        answers(port, nginx, folder)
        yield f"http://127.0.0.1:{port}/{file.name}", file, digest.digest()
    finally:
        nginx.terminate()
        nginx.wait(PATIENCE)
        held.close()


def answers(port, nginx, folder):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and nginx.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise RuntimeError("nginx did not start: " + (folder / "nginx.out").read_text()[-1000:])
