# SPDX-License-Identifier: Apache-2.0
"""How each kind of suite is counted, from what it printed or reported, and where in it stands why it failed."""
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

    def telling(self, output):
        """Each error with the lines of the source that are shown below it."""
        return blocks(output.splitlines(), r".*\berror: ", r"\[\d+/\d+\]|.*\b(?:warning|note): ", 8)


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
        runs = re.findall(r"^\S+ +Test run with (\d+) tests? .*(?:passed|failed) after", output, re.M)
        # Two suites may have tests of the same name; the run itself is none.
        self.failed = len(re.findall(r"^✘ +Test (?!run with \d).+ failed after [\d.]+ seconds", output, re.M))
        self.skipped = len(re.findall(r"^➜ +Test .+ (?:skipped|was cancelled after)", output, re.M))
        self.passed = max(0, sum(map(int, runs)) - self.failed - self.skipped)
        if status != 0:
            self.failed = max(self.failed, 1)

    def telling(self, output):
        """Issues with what was said of them, and what a program says that traps."""
        return blocks(output.splitlines(), r"✘|(?![◇✔➜━]).*\b(?:Fatal error|error): ", r"[◇✔➜━]", 12)


class Node(Suite):
    """node --test, in TAP."""

    def count(self, output, status):
        def number(word):
            return sum(int(n) for n in re.findall(rf"^# {word} (\d+)", output, re.M))
        self.passed, self.failed, self.skipped = number("pass"), number("fail") + number("cancelled"), number("skipped")

    def telling(self, output):
        return blocks(output.splitlines(), r"\s*not ok (?!.*# (?:SKIP|TODO))", r"\s*(?:ok|#|\.\.\.$)", 30)


class Pytest(Suite):
    """pytest, counted from its own report."""

    limit = 2400

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

    def telling(self, output):
        """Of each failure what ends with the assertion, without what its program printed; then the summary."""
        failures = "".join(re.split(r"^=+ (?:FAILURES|ERRORS) =+$", output, flags=re.M)[1:]).split("\n=", 1)[0]
        told = []
        for failure in re.split(r"^(?=_+ .+ _+$)", failures, flags=re.M)[1:]:
            heading, *rest = re.split(r"^-+ Captured ", failure, flags=re.M)[0].splitlines()
            told += [heading, *rest[-25:]]
        return told + re.findall(r"^(?:FAILED|ERROR) .*", output, re.M)


def blocks(lines, begins, ends, most):
    """From each line that matches `begins` to the next one that matches it or `ends`, `most` lines of each; a block
    that is said again is left out."""
    found, is_in = [], False
    for line in lines:
        if re.match(begins, line):
            found.append([])
            is_in = True
        elif re.match(ends, line):
            is_in = False
        if is_in and len(found[-1]) < most:
            found[-1].append(line)
    return [line for block in dict.fromkeys(map(tuple, found)) for line in block]
