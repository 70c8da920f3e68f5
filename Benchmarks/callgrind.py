# SPDX-License-Identifier: Apache-2.0
"""Runs a program under callgrind, counts for some seconds, and reads what it counted."""
import contextlib
import re
import subprocess
import time

from load import HERE


class Counts:
    """User-space instructions, and how often functions were called."""

    def __init__(self, text):
        self.instructions, self.calls = 0, {}
        names, called, is_inclusive = {}, None, False
        for line in text.splitlines():
            if line.startswith("cfn="):
                number, _, name = line[4:].partition(" ")
                called = names.setdefault(number, name) if name else names[number]
            elif line.startswith("fn="):
                number, _, name = line[3:].partition(" ")
                if name:
                    names[number] = name
            elif line.startswith("calls="):
                # The same function, deeper in a recursion, is told apart by a quote and a number.
                plain = re.sub(r"'\d+$", "", called)
                self.calls[plain] = self.calls.get(plain, 0) + int(line[6:].split()[0])
                is_inclusive = True
            elif line[:1].isdigit() or line[:1] in "+-*":
                # What a call cost inside is counted there.
                cost = line.split()[1:]
                self.instructions += int(cost[0]) if cost and not is_inclusive else 0
                is_inclusive = False

    def of(self, *functions):
        return sum(self.calls.get(function, 0) for function in functions)


@contextlib.contextmanager
def under_callgrind(folder, command, is_ready, **more):
    """The process, and a function that counts for so many seconds."""
    shim, out = folder / "sigsuspend.so", folder / "callgrind.out"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", shim, HERE / "sigsuspend.c"], check=True)
    valgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", "-q"]
    process = subprocess.Popen(["env", f"LD_PRELOAD={shim}", *valgrind, *map(str, command)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more)

    def count(seconds):
        for step in (["-i", "on"], None, ["-i", "off"], ["-d"]):
            if step is None:
                time.sleep(seconds)
            else:
                subprocess.run(["callgrind_control", *step, str(process.pid)], check=True, timeout=60,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        dumps = sorted(folder.glob("callgrind.out.*"), key=lambda path: path.stat().st_mtime)
        return Counts(dumps[-1].read_text())

    try:
        yield process, is_ready(process.stdout.readline()), count
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
