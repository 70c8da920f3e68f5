# SPDX-License-Identifier: Apache-2.0
"""The machine: what it is, which cores are whose, and what a process of it has used."""
import os
import platform
import re
import resource
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE_BENCH = ROOT / ".build" / "release" / "corebench"
CORES = sorted(os.sched_getaffinity(0))
# With two cores or more, the server and the floor have the first, and the load has the second.
SERVER_CORE = CORES[0] if len(CORES) > 1 else -1
LOAD_CORE = CORES[1] if len(CORES) > 1 else -1


def pinned(core):
    """For Popen's preexec_fn: keeps the child on one core."""
    return (lambda: os.sched_setaffinity(0, {core})) if core >= 0 else None


def raise_open_files():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def cpu_seconds_of(pid):
    """User and system time of a living process, all threads, in steps of 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mebibytes_of(pid):
    return int(re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def cpu_seconds_to_run(command):
    """Runs a command to its end; user and system time of it."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def packaged(name):
    """The pinned version of one of the peers' Python packages."""
    found = re.search(rf"^{name}==(.+)$", (ROOT / "Benchmarks" / "requirements.txt").read_text(), re.M)
    return found[1] if found else None


def describe_machine():
    def first_line(*command):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30, cwd=ROOT)
            return done.stdout.strip().splitlines()[0] if done.stdout.strip() else None
        except (OSError, subprocess.TimeoutExpired):
            return None

    cpu = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())
    return {
        "cpu": cpu[1] if cpu else platform.machine(), "cores": len(CORES), "memory_mib": int(memory[1]) // 1024,
        "kernel": platform.release(), "load_before": os.getloadavg()[0],
        "commit": first_line("git", "rev-parse", "--short", "HEAD"), "swift": first_line("swift", "--version"),
        "libwebsockets": first_line("pkg-config", "--modversion", "libwebsockets"),
        "curl": first_line("curl", "--version"), "openssl": first_line("openssl", "version"),
        "nginx": first_line("nginx", "-v"), "nats_server": first_line("nats-server", "--version"),
        "socketify": packaged("socketify"), "orjson": packaged("orjson"), "valgrind": first_line("valgrind", "--version"), "python": platform.python_version(),
    }
