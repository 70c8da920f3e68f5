# SPDX-License-Identifier: Apache-2.0
"""What a busy or slow machine takes: a promise of seconds is one about what we wait for, not about the cores."""
import glob
import os


class Waited:
    """How long the threads of a server and of this process have stood in line for a core or had one, since it was made."""

    def __init__(self, headway):
        self.pids = (headway.process.pid, os.getpid())
        self.before = self._threads()
        self.last = {}

    def _threads(self):
        waited = {}
        for pid in self.pids:
            for thread in glob.glob(f"/proc/{pid}/task/*"):
                try:
                    with open(f"{thread}/schedstat", encoding="ascii") as file:
                        waited[thread] = sum(map(int, file.read().split()[:2])) / 1e9
                except OSError:  # it has just ended
                    pass
        return waited

    def look(self):
        """Now and then: of a thread that has ended nothing can be read any more."""
        self.last |= self._threads()

    @property
    def seconds(self):
        self.look()
        return sum(time - self.before.get(thread, 0) for thread, time in self.last.items())
