# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks: a table for people on standard output, and artifacts/bench/NAME.json for programs.

Each benchmark measures Headway and what it is compared with in turn, run after run, so that a busy minute of the
machine hits all of them; only the medians and quartiles of such runs are told. Ratios travel, figures don't.
"""
import argparse
import json
import sys
import time

import aria2
import crowd
import cut
import download
import encoding
import events
import fanout
import idle
import ingest
import instructions
import join
import many
import million
import paced
import peers
import queued
import scale
import stopped
import storm
import swarm
import turn
from machine import ROOT, describe_machine
from summary import Summary

BENCHMARKS = {module.__name__: module for module in (
    aria2, crowd, cut, download, encoding, events, fanout, idle, ingest, instructions, join, many, million, paced, peers,
    queued, scale, stopped, storm, swarm, turn)}


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", choices=sorted(BENCHMARKS), help="one benchmark; all of them without a name")
    parser.add_argument("--runs", type=int, default=11, metavar="N", help="interleaved runs (11)")
    parser.add_argument("--add", action="store_true", help="add to the runs of the same build that are in the file already")
    words = parser.parse_args()
    if words.runs < 1:
        parser.error("--runs has to be at least 1")
    met = True
    for name in [words.name] if words.name else sorted(BENCHMARKS):
        met &= measure(name, words.runs, words.add)
    sys.exit(0 if met else 1)


def measure(name, count, adds):
    benchmark = BENCHMARKS[name]
    print(f"{name}: {benchmark.__doc__.splitlines()[0]}", flush=True)
    place = ROOT / "artifacts" / "bench" / f"{name}.json"
    machine = describe_machine()
    runs = earlier(place, machine["build"]) if adds else []
    with benchmark.setting() as setting:
        for _ in range(count):
            runs.append(benchmark.run(setting))
            print(f"  run {len(runs)}: " + ", ".join(f"{k} {v:.4g}" for k, v in runs[-1].items()), flush=True)
    summaries = {key: Summary([run[key] for run in runs]) for key in runs[0]}
    print(f"\n  {f'{len(runs)} runs':<34}{'median':>12}{'quartiles':>24}")
    for key, summary in summaries.items():
        print(f"  {key:<34}{summary.median:>12.4g}{f'{summary.low:.4g} … {summary.high:.4g}':>24}")
    print()
    limits = []
    for text, key, judge, limit in benchmark.LIMITS:
        value = max(summaries[key].values) if judge == "each" else summaries[key].median
        limits.append({"limit": text, "value": value, "met": value <= limit})
        print(f"  {'met' if value <= limit else 'MISSED':<8}{text}: {value:.4g}")
    print(flush=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({
        "benchmark": name, "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "machine": machine,
        "summary": {key: summary.document() for key, summary in summaries.items()}, "limits": limits, "runs": runs,
    }, indent=2) + "\n")
    return all(limit["met"] for limit in limits)


def earlier(place, build):
    """The runs that were measured before, of the same build."""
    if not place.exists():
        return []
    document = json.loads(place.read_text())
    return document["runs"] if document["machine"]["build"] == build else []


main()
