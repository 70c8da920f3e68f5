# SPDX-License-Identifier: Apache-2.0
"""How each kind of suite is counted, from what it printed or reported."""
import re
import sys
import xml.etree.ElementTree as ET

from suite import OUT, ROOT, Suite

PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfEs"]


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
    """pytest, counted from its own report."""

    limit = 1500

    def __init__(self, name, folder, binary, environment=None, *options):
        super().__init__(name, None, {"HEADWAY_BINARY": str(ROOT / binary), **(environment or {})})
        self.report = OUT / f"{name}.xml"
        self.command = [*PYTEST, *options, f"--junitxml={self.report}", folder]

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
