# SPDX-License-Identifier: Apache-2.0
"""nginx on this machine, as an origin of files or as somebody who takes them."""
import contextlib
import socket
import subprocess
import time

# Nothing is to be written anywhere but below the folder.
CONFIGURATION = """daemon off; worker_processes 1; {user} pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; sendfile on; client_max_body_size 0; client_body_buffer_size 128k;
  client_body_temp_path {body}; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {root}; {more} }}
}}
"""


@contextlib.contextmanager
def nginx(folder, root, *, more="", user="", body=None):
    """Serves `root`; gives its link and its process once it answers.

    `folder` is for its own files, `body` for what comes in: on the file system of `root`, or it is copied.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "nginx.conf").write_text(CONFIGURATION.format(
        folder=folder, root=root, port=port, more=more, user=user, body=body or folder / "body"))
    with open(folder / "nginx.out", "wb") as out:
        process = subprocess.Popen(["nginx", "-p", str(folder), "-e", str(folder / "error.log"), "-c",
                                    str(folder / "nginx.conf")], stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        wait_for(port, process, folder)
        yield f"http://127.0.0.1:{port}/", process
    finally:
        process.terminate()
        process.wait(10)


def wait_for(port, process, folder):
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise RuntimeError("nginx did not start: " + (folder / "nginx.out").read_text()[-1000:])
