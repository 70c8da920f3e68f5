# SPDX-License-Identifier: Apache-2.0
"""The peer µWebSockets, through socketify: one publish for each message that comes, to all who are subscribed.

It prints its port. Only the native loop runs: Python is called once for each published message, not for each client.
With two numbers, each client is sent so many greetings of so many bytes first, and then one that says "ready".
"""
import sys

from socketify import App, OpCode
from socketify.socketify import ffi, lib, uws_generic_listen_handler


greetings, size = [int(word) for word in (sys.argv + ["0", "0"])[1:3]]
greeting = b"x" * size


def greet(client):
    for _ in range(greetings):
        client.send(greeting, OpCode.TEXT)
    client.send(b"ready", OpCode.TEXT)


def opened(client):
    client.subscribe("frames")
    if greetings:
        client.cork(greet)


def published(_, message, __):
    app.publish("frames", message, OpCode.TEXT)


app = App()
app.ws("/frames", {"open": opened, "compression": 0, "max_backpressure": 1 << 24, "idle_timeout": 120})
app.ws("/publish", {"message": published, "compression": 0})
# App.listen lets go of the host's name before it is read, and would listen anywhere.
host = ffi.new("char[]", b"127.0.0.1")
options = ffi.new("uws_app_listen_config_t *", {"port": 0, "host": host, "options": 0})
app._listen_handler = lambda config: print(config.port, flush=True)
lib.uws_app_listen_with_config(app.SSL, app.app, options[0], uws_generic_listen_handler, app._ptr)
app.loop.uv_loop.run()
