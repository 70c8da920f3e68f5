# SPDX-License-Identifier: Apache-2.0
"""nginx before a server, as docs/operate.md sets it up, and with its defaults."""
import http.client
import os
import shutil
import socket
import subprocess
import time

from patience import PATIENCE

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
CONFIGURATION = """
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        proxy_http_version 1.1;
        proxy_set_header Host $http_host;
        proxy_read_timeout 600s;
        location /unbuffered/ {{
            proxy_pass http://127.0.0.1:{server}/;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $http_connection;
            proxy_buffering off;
        }}
        location /buffered/ {{
            proxy_pass http://127.0.0.1:{server}/;
            proxy_buffering on;
        }}
    }}
}}
"""


def nginx(folder, listener, **options):
    """Starts it over a socket that listens already: a port that was only looked for may be somebody else's by then."""
    first = "daemon off;" + ("user root;" if os.geteuid() == 0 else "")
    return subprocess.Popen([NGINX, "-g", first, "-p", str(folder), "-c", str(folder / "nginx.conf")],
                            env={**os.environ, "NGINX": f"{listener.fileno()};"}, pass_fds=[listener.fileno()],
                            stdin=subprocess.DEVNULL, **options)


class Proxy:
    """nginx as a process; `port` is its own."""

    def __init__(self, headway, folder):
        folder.mkdir(exist_ok=True)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
            (folder / "nginx.conf").write_text(
                CONFIGURATION.format(folder=folder, port=self.port, server=headway.port))
            self.process = nginx(folder, listener, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        end = time.monotonic() + PATIENCE
        while True:
            assert self.process.poll() is None, self.process.stderr.read().decode()
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
                connection.request("GET", "/unbuffered/healthz")
                assert connection.getresponse().status == 200
                connection.close()
                return
            except ConnectionError:
                assert time.monotonic() < end, "nginx does not listen"
                time.sleep(0.02)

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.process.stderr.close()
