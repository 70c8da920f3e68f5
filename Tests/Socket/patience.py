# SPDX-License-Identifier: Apache-2.0
"""How long a test waits for what has to come, in seconds.

It bounds how long a wrong server is waited for, not how long a right one takes: where all is well nobody waits so long,
however slow or busy the machine is. A test that wants to know whether something came in time shows what it came before.
"""
import time

PATIENCE = 120


def until(what, message="it did not come", within=PATIENCE):
    """Asks again and again until there is an answer that holds; returns it."""
    end = time.monotonic() + within
    while not (found := what()):
        assert time.monotonic() < end, message() if callable(message) else message
        time.sleep(0.01)
    return found
