# SPDX-License-Identifier: Apache-2.0
"""One command within its time: what it printed is kept, its processes end with it."""
import os
import signal
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "artifacts" / "test"
# How many lines that tell why a suite failed are shown.
TOLD = 200


class Suite:
    """What is run. Its kinds (suite_kinds.py) differ in how they count."""

    limit = 900

    def __init__(self, name, command, environment=None):
        self.name, self.command, self.environment = name, command, dict(environment or {})
        self.passed = self.failed = self.skipped = 0
        self.seconds = 0.0
        self.log = OUT / f"{name}.log"

    def run(self):
        begin = time.monotonic()
        # A sanitizer's reports of every process go to files of their own: one is enough to fail the suite.
        for old in OUT.glob(f"{self.name}.report*"):
            old.unlink()
        for key in self.environment:
            if key in ("TSAN_OPTIONS", "ASAN_OPTIONS"):
                self.environment[key] += f":log_path={OUT}/{self.name}.report"
        status = self.execute()
        self.seconds = time.monotonic() - begin
        output = self.log.read_text(encoding="utf-8", errors="replace")
        self.count(output, status)
        reports = sorted(OUT.glob(f"{self.name}.report*"))
        self.failed += len(reports)
        if not self.failed and (status != 0 or not self.passed):
            self.failed = 1
        if self.failed:
            reason = f"longer than {self.limit} s" if status is None else f"exit status {status}"
            # First why, which may be long ago; the end is what a suite that has said nothing of it was at.
            told = self.telling(output)[:TOLD]
            print(f"--- {self.name}: {reason}", *told, *["--- its last lines"] * bool(told),
                  *output.splitlines()[-(20 if told else 60):], sep="\n")
            for report in reports[:3]:
                print(f"--- {report.relative_to(ROOT)}", *report.read_text(errors="replace").splitlines()[:40], sep="\n")

    def execute(self):
        with open(self.log, "wb") as log:
            process = subprocess.Popen(self.command, cwd=ROOT, env={**os.environ, **self.environment},
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                       start_new_session=True)
            try:
                return process.wait(self.limit)
            except subprocess.TimeoutExpired:
                return None
            finally:
                # What it started goes with it: its own session, nobody else's.
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()

    def telling(self, output):
        """Those of its lines that tell why it failed."""
        return []

    def line(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.name:<14}{self.passed:>6} passed, {self.failed} failed{skipped}  ({self.seconds:.0f} s)"
