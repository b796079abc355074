"""How long a question to tune takes: processor time of the whole command, and where it goes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys

QUESTIONS = (
    ("--chip", "esp32", "--goal", "tcp_rx>=20", "--goal", "free>=100KB"),
    ("--chip", "esp32c3", "--goal", "tcp_rx>=20"),
    ("--chip", "esp32c6", "--goal", "free>=220KB"),
    ("--chip", "esp32s3", "--goal", "free>=150KB"),
    ("--chip", "esp32", "--tls", "2", "--goal", "tcp_rx>=15", "--goal", "free>=60KB"),
    ("--chip", "esp32c3", "--goal", "tcp_rx>=10", "--trade", "all"),
)
_ROUNDS = 3
_PARTS = """
import json, sys, time
from time import process_time as now
marks = [now()]
import heapscope.cli.app
import heapscope.cli.verbs.tune as verb
marks.append(now())
from heapscope.forecast.tune.problem import Problem
from heapscope.forecast.tune.search import Search
from heapscope.forecast.tune.trades import Trades
spent = {}
def timed(owner, name, key):
    inner = owner.__dict__[name]
    call = inner.__func__ if isinstance(inner, classmethod) else inner
    def outer(*args, **options):
        start = now()
        try:
            return call(*args, **options)
        finally:
            spent[key] = spent.get(key, 0.0) + now() - start
    setattr(owner, name, classmethod(outer) if isinstance(inner, classmethod) else outer)
timed(Problem, "of", "models")
timed(Search, "_solve", "search")
timed(Search, "descended", "search")
timed(Trades, "possible", "trades")
found = verb.tune(chip="esp32c3", goal=["tcp_rx>=20"])
whole = now() - marks[1]
print(json.dumps({"imports": now() - whole, **spent, "rest": whole - sum(spent.values())}))
"""


def spent(command: list[str]) -> float:
    """User and system time of the command and its children, s."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main() -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are compiled once, not in each round
    print(f"processor time (user and system) of a question, s; best of {_ROUNDS}")
    for question in QUESTIONS:
        command = [sys.executable, "-m", "heapscope", "tune", *question]
        best = min(spent(command) for _ in range(_ROUNDS))
        print(f"{best:6.2f}  heapscope tune {' '.join(question)}", flush=True)
    print("where it goes, s: tune --chip esp32c3 --goal tcp_rx>=20")
    command = [sys.executable, "-c", _PARTS]
    rounds = [
        json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        for _ in range(_ROUNDS)
    ]
    for name, seconds in min(rounds, key=lambda parts: sum(parts.values())).items():
        print(f"{seconds:6.2f}  {name}")


if __name__ == "__main__":
    main()
