# SPDX-License-Identifier: Apache-2.0
"""A network of its own in which a name has two addresses, and the first of them leads nowhere.

Run by test_black_hole.py below `unshare --net --mount`; it prints what came of a download as JSON, and ends with 77 where
such a network can't be had.
"""
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

from origin import Origin
from server import ROOT, Headway

NAME, DEAD = "twofold.test", "2001:db8::1"


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"ip {' '.join(words)}: {done.stderr.strip()}")
        sys.exit(77)


def make_network(place):
    ip("link", "set", "lo", "up")
    ip("link", "add", "hole", "type", "veth", "peer", "name", "bottom")
    for end in ("hole", "bottom"):
        ip("link", "set", end, "up")
    ip("-6", "addr", "add", "2001:db8::2/64", "dev", "hole", "nodad")
    # It goes to an address that the other end has not: that drops it, and nobody says that nobody is there.
    ip("-6", "neigh", "add", DEAD, "lladdr", "02:00:00:00:00:01", "dev", "hole")
    hosts = place / "hosts"
    hosts.write_text(f"127.0.0.1 localhost {NAME}\n{DEAD} {NAME}\n")
    subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        make_network(place)
        addresses = [found[4][0] for found in socket.getaddrinfo(NAME, 80, type=socket.SOCK_STREAM)]
        with socket.socket(socket.AF_INET6) as dead:
            dead.settimeout(2)
            try:
                dead.connect((DEAD, 80))
            except OSError as error:
                silence = isinstance(error, TimeoutError)
        origin = Origin()
        headway = Headway(place / "data", ROOT / "web", "--allow-net", "2001:db8::/32")
        began = time.monotonic()
        link = origin.url("/file/100000/twofold.bin").replace("127.0.0.1", NAME)
        end = headway.ended(headway.download(link).transfer(201)["id"])
        took = time.monotonic() - began
        print(json.dumps({"addresses": addresses, "silence": silence, "took": took, "end": end, "stop": headway.stop()}))


main()
