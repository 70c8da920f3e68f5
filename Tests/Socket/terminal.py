# SPDX-License-Identifier: Apache-2.0
"""The command line, as a script runs it."""
import subprocess

from patience import PATIENCE
from server import BINARY


def headway_command(*words, address=None, **options):
    """Runs `headway` with these words, against the server at that address, to its end."""
    there = ["--url", address] if address else []
    options = {"text": True, "timeout": PATIENCE, **options}
    return subprocess.run([BINARY, *words[:1], *there, *words[1:]], capture_output=True, **options)
