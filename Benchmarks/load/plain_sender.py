#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The floor at a pace: the plainest broadcaster, FRAMES frames of BYTES bytes in one send to each client every 100 ms.

It prints its port, never reads after the handshake, and drops what a client doesn't take. With a third number, each
client is sent so many greetings of BYTES bytes first, and then one that says "ready".
"""
import base64, hashlib, socket, struct, sys, threading, time

frames, size, greetings = [int(word) for word in (sys.argv + ["0"])[1:4]]
message = (b"\x81\x7e" + struct.pack(">H", size) + b"x" * size) * frames
greeting = (b"\x81\x7e" + struct.pack(">H", size) + b"x" * size) * greetings + b"\x81\x05ready"
clients = []


def accept(listener):
    while True:
        client, head = listener.accept()[0], b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        key = head.lower().index(b"sec-websocket-key: ") + 19
        key = head[key:head.index(b"\r\n", key)] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        client.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                       + base64.b64encode(hashlib.sha1(key).digest()) + b"\r\n\r\n")
        if greetings:
            client.sendall(greeting)
        client.setblocking(False)
        clients.append(client)


listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
threading.Thread(target=accept, args=(listener,), daemon=True).start()
print(listener.getsockname()[1], flush=True)
due = time.monotonic()
while True:
    due += 0.1
    time.sleep(max(0, due - time.monotonic()))
    for client in list(clients):
        try:
            client.send(message)
        except BlockingIOError:
            pass
        except OSError:
            clients.remove(client)
