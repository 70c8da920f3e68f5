# SPDX-License-Identifier: Apache-2.0
"""How `scripts/test` counts what a suite printed, and what it shows of one that failed."""
import subprocess
import sys

import pytest

from patience import PATIENCE
from server import ROOT

sys.path.insert(0, str(ROOT / "scripts/lib"))
from suite_kinds import Build, Node, Pytest, Swift  # noqa: E402

# As Swift 6.3.1 prints it. Two suites have a test of the same name.
SWIFT = """\
◇ Test run started.
↳ Testing Library Version: 6.3.1 (937120cbc281cf2)
◇ Test "a thing is so" started.
◇ Test "shown failed after a while" started.
➜ Test off3(n:) skipped: "all"
➜ Test off2() skipped.
✘ Test "a thing is so" recorded an issue at T.swift:15:36: Expectation failed: 1 == 2
◇ Test case passing 1 argument n → 1 to "table of" started.
✘ Test "table of" recorded an issue with 1 argument n → 1 at T.swift:5:59: Expectation failed: (n → 1) == 2
✘ Test "a thing is so" recorded an issue at T.swift:3:36: Expectation failed: 1 == 2
↳ it should be
━ Test known() recorded a known issue at T.swift:8:55: Issue recorded
↳ known already
✘ Test "a thing is so" failed after 0.003 seconds with 1 issue.
✔ Test "shown failed after a while" passed after 0.003 seconds.
✘ Test "table of" with 3 test cases failed after 0.003 seconds with 1 issue.
➜ Test cancelled() was cancelled after 0.003 seconds: "why not"
✘ Test "a thing is so" failed after 0.003 seconds with 1 issue.
━ Test known() passed after 0.003 seconds with 1 known issue.
✘ Suite TwoTests failed after 0.004 seconds with 1 issue.
◇ Test case passing 1 argument frame → Frame(error: nil) to "every frame is read" started.
✔ Test fine() passed after 0.004 seconds.
✘ Suite OneTests failed after 0.023 seconds with 3 issues (including 1 known issue).
✘ Test run with 9 tests in 2 suites failed after 0.046 seconds with 4 issues (including 1 known issue).
"""


def counted(suite, output, status):
    suite.count(output, status)
    return suite.passed, suite.failed, suite.skipped


def test_a_failed_run_is_no_failed_test():
    assert counted(Swift("swift", []), SWIFT, 1) == (3, 3, 3)


def test_a_run_that_crashed_has_failed():
    assert counted(Swift("swift", []), SWIFT.split("✘ Test run")[0].split("✘")[0], 1) == (0, 1, 2)


def test_runs_of_several_products_are_added_up():
    run = "✔ Test run with 2 tests in 1 suite passed after 0.1 seconds.\n"
    assert counted(Swift("swift", []), run + run, 0) == (4, 0, 0)


def test_what_was_expected_is_shown_however_long_ago_it_was():
    output = SWIFT.replace("✔ Test fine()", 'it ran on\n' * 500 + "✔ Test fine()")
    told = Swift("swift", []).telling(output)
    assert "✘ Test \"a thing is so\" recorded an issue at T.swift:3:36: Expectation failed: 1 == 2" in told
    assert "↳ it should be" in told
    assert not [line for line in told if "known already" in line or line.startswith(("◇", "✔", "➜"))], told
    assert len(told) < 50


@pytest.mark.parametrize("words", [[], ["-n", "2"]], ids=["alone", "shared-out"])
def test_of_pytest_the_assertions_are_shown_and_not_what_was_printed(tmp_path, words):
    (tmp_path / "test_it.py").write_text(
        "import pytest\n@pytest.fixture\ndef broken():\n    raise OSError('no room')\n"
        "def test_sum():\n    print('a log line\\n' * 300)\n    assert 1 + 1 == 3, 'of numbers'\n"
        "def test_fine():\n    pass\ndef test_unready(broken):\n    pass\n")
    output = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfEs", *words, "test_it.py"],
                            cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE).stdout
    told = Pytest("socket", "", "").telling(output)
    assert [line for line in told if line.startswith("E ") and "of numbers" in line], output
    assert [line for line in told if line.startswith("E ") and "no room" in line], output
    assert "a log line" not in told and len(told) < 60
    assert [line.split(" ")[0] for line in told[-2:]] == ["FAILED", "ERROR"]


def test_of_node_the_failed_ones_are_shown():
    output = ("TAP version 13\nok 1 - fine\n  ---\n  duration_ms: 1\n  ...\nnot ok 2 - sums\n  ---\n  error: '1 !== 2'\n"
              "  ...\nok 3 - late # SKIP\nnot ok 4 - some day # TODO\n1..4\n# pass 1\n# fail 1\n# skipped 1\n# cancelled 0\n")
    suite = Node("web", [])
    assert counted(suite, output, 1) == (1, 1, 1)
    assert suite.telling(output) == ["not ok 2 - sums", "  ---", "  error: '1 !== 2'"]


def test_of_a_build_the_errors_are_shown_and_not_the_warnings():
    error = "a.swift:1:2: error: no such type\n 1 | let\n"
    output = f"[1/9] Compiling A\n{error}{error}b.swift:3:4: warning: old\n 3 | var\n[2/9] Compiling B\n"
    assert Build("build", []).telling(output) == ["a.swift:1:2: error: no such type", " 1 | let"]
