#!/usr/bin/env python3
"""What a user feels while the scheduler works through a long queue: `flux submit` and `flux resource
list` with 10,000 jobs pending on 16,384 made-up nodes, as the whole command and as the RPC alone.

busy_scheduler.py BUILD starts the instance and prints a row a measurement.
"""
import os
import pathlib
import subprocess
import sys
import threading
import time

NODES, PENDING, ROUNDS = 16384, 10000, 200
BUDGET_MS = 20
CONF = [f"--conf=fake-resources.nnodes={NODES}", "--conf=fake-resources.cores-per-node=64",
        "--conf=sched-fluxion-qmanager.queue-policy=conservative"]
MOCK = ["-S", "system.exec.test.run_duration=0.5s"]


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout


def p99(command, rounds=ROUNDS):
    took = []
    for _ in range(rounds):
        begin = time.monotonic()
        run(*command)
        took.append((time.monotonic() - begin) * 1e3)
    took.sort()
    return took[len(took) // 2], took[len(took) * 99 // 100]


def keep_busy(flux, stop):
    """Jobs of many sizes come and go all the time, so that there is always a pass under way."""
    size = 0
    while not stop.is_set():
        size = size % 64 + 1
        run(flux, "submit", "--quiet", "--urgency=31", f"-n{size * 50}", "-t1m", *MOCK, "true")
        time.sleep(0.02)


def fill(flux):
    run(flux, "submit", "--quiet", "-x", f"-N{NODES * 3 // 4}", "-t10h", "-S",
        "system.exec.test.run_duration=10h", "true")
    for nodes in range(1, 21):
        run(flux, "submit", "--quiet", f"--cc=1-{PENDING // 20}", "-x", f"-N{NODES // 4 + nodes * 100}", "-t2h", "true")


def inside(build):
    flux = str(build / "flux")
    fill(flux)
    pending = int(run(flux, "jobs", "-f", "pending", "-c0", "-no", "{id}").count(b"\n"))
    assert pending >= PENDING * 0.99, f"only {pending} jobs are pending"
    stop = threading.Event()
    busy = threading.Thread(target=keep_busy, args=(flux, stop))
    busy.start()
    over = 0
    rows = (("`flux getattr rank`: a command that asks for nothing", [flux, "getattr", "rank"]),
            ("`flux submit`", [flux, "submit", "--quiet", "-x", f"-N{NODES}", "-t1h", "true"]),
            ("`flux resource list`", [flux, "resource", "list"]))
    for name, command in rows:
        median, worst = p99(command)
        print(f"| {name}, {pending} pending | {median:.1f} ms | p99 {worst:.1f} ms (budget {BUDGET_MS}) |", flush=True)
        over += worst > BUDGET_MS
    stop.set()
    busy.join()
    run(flux, "cancel", "--all", "--quiet")
    return 1 if over else 0


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    os.environ["PATH"] = f"{build}:{os.environ['PATH']}"
    if len(sys.argv) > 2:
        return inside(build)
    return subprocess.run([build / "flux", "start", *CONF, sys.executable, __file__, str(build), "inside"]).returncode


if __name__ == "__main__":
    sys.exit(main())
