# SPDX-License-Identifier: Apache-2.0
"""Builds Tests/Fuzz with the two pure targets it needs, and lets libFuzzer look for input that breaks them.

Each target begins with its kept corpus, Tests/Fuzz/corpus/TARGET; what is new goes to artifacts/fuzz/TARGET, and an
input that breaks it to artifacts/fuzz/TARGET-*. `--keep` takes over into the corpus what reaches new code.
A target that ran fewer inputs than its corpus holds counts as failed.
"""
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "artifacts" / "fuzz"
CORPUS = ROOT / "Tests" / "Fuzz" / "corpus"
TARGETS = ["form", "tus", "range", "name"]
SWIFTC = ["swiftc", "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault", "-O", "-wmo",
          "-parse-as-library", "-sanitize=fuzzer", "-package-name", "headway", "-I", str(OUT)]
BUILD_SECONDS = 300


def main():
    words = sys.argv[1:]
    keep = "--keep" in words
    words = [word for word in words if word != "--keep"]
    seconds = int(words.pop(0)) if words and words[0].isdigit() else 10
    targets = words or TARGETS
    if set(targets) - set(TARGETS):
        sys.exit(f"usage: scripts/fuzz [--keep] [SECONDS] [TARGET…]; targets are {', '.join(TARGETS)}")
    OUT.mkdir(parents=True, exist_ok=True)
    build()
    runs = {target: start(target, seconds) for target in targets}
    failed = [target for target, (process, log) in runs.items() if not judge(target, process, log, seconds)]
    if keep and not failed:
        for target in targets:
            merge(target)
    print(f"{len(targets) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


def build():
    """Three calls of the compiler: a package build would build, and cover, what nobody fuzzes."""
    sources = {name: sorted((ROOT / "Sources" / name).glob("**/*.swift")) for name in ("ProgressProtocol", "TransferCore")}
    sources["Fuzz"] = sorted((ROOT / "Tests" / "Fuzz").glob("*.swift"))
    for name, paths in sources.items():
        goal, stamp = OUT / f"{name}.o", max(path.stat().st_mtime for group in sources.values() for path in group)
        if goal.exists() and goal.stat().st_mtime > max(stamp, Path(__file__).stat().st_mtime):
            continue
        compile(*SWIFTC, "-module-name", name, "-enable-testing", "-emit-module", "-emit-module-path",
                str(OUT / f"{name}.swiftmodule"), "-c", "-o", str(goal), *map(str, paths))
    compile("swiftc", "-sanitize=fuzzer", "-parse-as-library", "-o", str(OUT / "fuzz"),
            *(str(OUT / f"{name}.o") for name in sources))


def compile(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=BUILD_SECONDS)
    if done.returncode != 0:
        sys.exit(done.stdout)


def environment(target):
    # Swift's own account of a crash would end the process before libFuzzer has kept the input.
    return {**os.environ, "HEADWAY_FUZZ": target, "SWIFT_BACKTRACE": "enable=no"}


def start(target, seconds):
    for old in OUT.glob(f"{target}-*"):
        old.unlink()
    found = OUT / target
    shutil.rmtree(found, ignore_errors=True)
    found.mkdir()
    log = OUT / f"{target}.log"
    with open(log, "wb") as out:
        process = subprocess.Popen(
            [OUT / "fuzz", found, CORPUS / target, f"-max_total_time={seconds}", "-max_len=20000", "-timeout=10",
             "-rss_limit_mb=512", "-print_final_stats=1", f"-artifact_prefix={OUT}/{target}-"],
            env=environment(target), stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    return process, log


def judge(target, process, log, seconds):
    begin = time.monotonic()
    try:
        status = process.wait(seconds + 60)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    text = log.read_text(errors="replace")
    inputs = sum(int(n) for n in re.findall(r"stat::number_of_executed_units: *(\d+)", text))
    seeds = sum(1 for _ in (CORPUS / target).iterdir())
    holds = status == 0 and seeds > 0 and inputs > seeds
    print(f"{'ok    ' if holds else 'FAILED'} {target}: {inputs} inputs, {seeds} of them kept from before", flush=True)
    if not holds:
        print(f"it ended with {status} after {time.monotonic() - begin:.0f} s", *text.splitlines()[-40:], sep="\n  ")
        for path in OUT.glob(f"{target}-*"):
            print(f"  {path.relative_to(ROOT)}: {path.read_bytes()[:400]!r}")
    return holds


def merge(target):
    """Adds to the corpus the smallest inputs that reach what it does not."""
    subprocess.run([OUT / "fuzz", "-set_cover_merge=1", "-use_counters=0", "-max_len=4096", CORPUS / target,
                    OUT / target], timeout=600,
                   env=environment(target), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)


main()
