# SPDX-License-Identifier: Apache-2.0
"""Ports that nobody else gets, also while nobody listens on them."""
import socket


def held():
    """A socket that is bound and does not listen: who connects is refused, and whoever is told the port can listen there.

    A port that was only looked for, or that a server has left for a moment, may be somebody else's by the time it is used.
    The kernel gives this one away no more, and shares it with one that names it (both set SO_REUSEADDR).
    """
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(("127.0.0.1", 0))
    return one


def port_of(one):
    return one.getsockname()[1]
