# SPDX-License-Identifier: Apache-2.0
"""nginx before a server, as docs/operate.md sets it up, and with its defaults."""
import http.client
import shutil
import socket
import subprocess
import time

CONFIGURATION = """
daemon off;
master_process off;
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
        proxy_read_timeout 60s;
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


class Proxy:
    """nginx as a process; `port` is its own."""

    def __init__(self, headway, folder):
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        folder.mkdir(exist_ok=True)
        (folder / "nginx.conf").write_text(
            CONFIGURATION.format(folder=folder, port=self.port, server=headway.port))
        self.process = subprocess.Popen([program, "-p", str(folder), "-c", str(folder / "nginx.conf")],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        end = time.monotonic() + 20
        while True:
            assert self.process.poll() is None, self.process.stderr.read().decode()
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/unbuffered/healthz")
                assert connection.getresponse().status == 200
                connection.close()
                return
            except ConnectionError:
                assert time.monotonic() < end, "nginx does not listen"
                time.sleep(0.02)

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stderr.close()
