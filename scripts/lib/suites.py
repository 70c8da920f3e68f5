# SPDX-License-Identifier: Apache-2.0
"""Runs the suites one after another, each within its time, and adds up what they counted.

A suite that failed, ran no test, or took too long counts as failed, whatever it printed: nothing is passed by silence.
What a suite said is in artifacts/test/NAME.log; of one that failed is shown what tells why, and its end.
"""
import sys

from suite import OUT, ROOT
from suite_kinds import Build, Lines, Node, One, Pytest, Swift

LONG = "--long" in sys.argv
SHORT = ["-m", "not long"]


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    suites = [Build("build", ["swift", "build", "--build-tests"]),
              Lines("check", ["scripts/check"]),
              # Hundreds at once, as it is without a bound, would make each of them slow, and are no sooner done.
              Swift("swift", ["swift", "test", "--skip-build"],
                    {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "4"}),
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
        Pytest.limit = 7200
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


main()
