# SPDX-License-Identifier: Apache-2.0
"""Runs the suites one after another, each within its time, and adds up what they counted.

A suite that failed, ran no test, or took too long counts as failed, whatever it printed: nothing is passed by silence.
What a suite said is in artifacts/test/NAME.log; its end is shown when it failed.
"""
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "artifacts" / "test"
LONG = "--long" in sys.argv
SHORT = ["-m", "not long"]
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfEs"]


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    suites = [Build("build", ["swift", "build", "--build-tests"]),
              Lines("check", ["scripts/check"]),
              Swift("swift", ["swift", "test", "--skip-build"]),
              Node("web", ["node", "--test", "--test-reporter=tap", *found("Tests/Web", "*.test.mjs")]),
              One("types", ["tsc", "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--module",
                            "esnext", "--moduleResolution", "node", "--lib", "es2022,dom,dom.iterable",
                            "web/scripts/types.d.ts", *found("web/scripts", "*.js")]),
              # Four readers at once: 10 s for each, or five minutes.
              Lines("fuzz", ["scripts/fuzz", "300" if LONG else "10"]),
              Build("release", ["swift", "build", "--configuration", "release"]),
              # Most of their time is waiting for a clock: three at once are done in less than half of it. A file has
              # servers of its own, so it stays together.
              Pytest("socket", "Tests/Socket", ".build/release/headway", None, *SHORT, "-n", "3", "--dist", "loadfile",
                     "--no-loadscope-reorder", *(["--chaos-seconds=180"] if LONG else [])),
              Pytest("browser", "Tests/Browser", ".build/release/headway", None, *([] if LONG else SHORT), "-n", "3")]
    if LONG:
        # Of these most measure what others beside them would change.
        suites.append(Pytest("socket-long", "Tests/Socket", ".build/release/headway", None, "-m", "long"))
        suites += sanitized("thread") + sanitized("address")
    failed_suites = []
    passed = failed = 0
    for suite in suites:
        suite.run()
        print(suite.line(), flush=True)
        passed, failed = passed + suite.passed, failed + suite.failed
        if suite.failed:
            failed_suites.append(suite.name)
    if failed_suites:
        print("Failed:", ", ".join(f"{name} (artifacts/test/{name}.log)" for name in failed_suites))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed_suites else 0)


def found(folder, pattern):
    return [str(p.relative_to(ROOT)) for p in sorted((ROOT / folder).glob(pattern))]


def sanitized(kind):
    """The Swift suites and the socket suite against a server that was built with a sanitizer."""
    short = {"thread": "tsan", "address": "asan"}[kind]
    tree = ["--sanitize", kind, "--scratch-path", f".build-{short}"]
    # What `Locked` is made of depends on it: no report has to be suppressed.
    tree += {"thread": ["-Xswiftc", "-DTHREAD_SANITIZER"], "address": []}[kind]
    options = {"thread": {"TSAN_OPTIONS": "history_size=7:second_deadlock_stack=1"},
               # Of leaks it would tell what no one has lost: a weak reference's side table, to which Swift keeps no
               # plain pointer, and what URLSession holds when a program ends.
               "address": {"ASAN_OPTIONS": "detect_leaks=0"}}[kind]
    return [Build(f"{short}-build", ["swift", "build", "--build-tests", *tree]),
            # One test after another: their bounds of time are made for a program that is not ten times slower.
            Swift(f"{short}-swift", ["swift", "test", "--skip-build", "--no-parallel", *tree], options),
            # What takes long is a matter of time, which a sanitizer does not judge.
            Pytest(f"{short}-socket", "Tests/Socket", f".build-{short}/debug/headway", options, *SHORT,
                   "--timeout=300")]


class Suite:
    """One command. Those below differ in how they count."""

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
            print(f"--- {self.name}: {reason}", *output.splitlines()[-60:], sep="\n")
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

    def line(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.name:<14}{self.passed:>6} passed, {self.failed} failed{skipped}  ({self.seconds:.0f} s)"


class One(Suite):
    """It works or it doesn't."""

    def count(self, output, status):
        self.passed, self.failed = (1, 0) if status == 0 else (0, 1)


class Build(One):
    limit = 1800


class Lines(Suite):
    """Its last line says "N passed, N failed"."""

    limit = 1800

    def count(self, output, status):
        match = re.search(r"^(\d+) passed, (\d+) failed$", output, re.M)
        self.passed, self.failed = (int(match[1]), int(match[2])) if match else (0, 1)


class Swift(Suite):
    """Swift Testing: one run for each test product; a run that crashed has no last line."""

    limit = 1200

    def count(self, output, status):
        total = sum(int(n) for n in re.findall(r"Test run with (\d+) tests? .*(?:passed|failed)", output))
        self.failed = len(set(re.findall(r"^\S+ +Test (.+?) (?:with \d+ test cases )?failed after", output, re.M)))
        self.skipped = len(re.findall(r"^\S+ +Test .+ skipped", output, re.M))
        self.passed = max(0, total - self.failed - self.skipped)
        if status != 0:
            self.failed = max(self.failed, 1)


class Node(Suite):
    """node --test, in TAP."""

    def count(self, output, status):
        def number(word):
            return sum(int(n) for n in re.findall(rf"^# {word} (\d+)", output, re.M))
        self.passed, self.failed, self.skipped = number("pass"), number("fail") + number("cancelled"), number("skipped")


class Pytest(Suite):
    """pytest, counted from its own report. No test hangs for longer than its own limit; this one is for a slow machine."""

    limit = 3600

    def __init__(self, name, folder, binary, environment=None, *options):
        super().__init__(name, None, {"HEADWAY_BINARY": str(ROOT / binary), **(environment or {})})
        self.report = OUT / f"{name}.xml"
        self.command = [*PYTEST, *options, f"--junitxml={self.report}", folder]
        if LONG:
            self.limit = 7200

    def run(self):
        self.report.unlink(missing_ok=True)
        super().run()

    def count(self, output, status):
        try:
            suites = ET.parse(self.report).getroot().iter("testsuite")
        except (OSError, ET.ParseError):
            self.failed = 1
            return
        for suite in suites:
            failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            self.failed += failed
            self.skipped += int(suite.get("skipped", 0))
            self.passed += int(suite.get("tests", 0)) - failed - int(suite.get("skipped", 0))
        self.passed = max(0, self.passed)


main()
