"""The commands that make traces and tables share their arguments and exit codes."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

from tools.places import CAPTURED, MissingError

__all__ = ["MISSING", "exit_with", "make_table", "make_traces"]

MISSING = 3  #: exit code: a tool is not on this machine


def exit_with(main: Callable[[], int]) -> NoReturn:
    try:
        sys.exit(main())
    except MissingError as missing:
        print(f"missing: {missing}", file=sys.stderr)
        sys.exit(MISSING)


def make_traces(about: str, traces: Mapping[str, Callable[[Path], str]]) -> int:
    """Makes those that the command line names, or all; each tells what it took. `about`: the
    command's own description."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(traces))
    parser.add_argument("--out", type=Path, default=CAPTURED, metavar="FOLDER")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - set(traces)
    if unknown:
        parser.error(f"no such trace: {', '.join(sorted(unknown))}")
    for name in chosen.names or traces:
        text = traces[name](chosen.out / f"{name}.hst.zst").strip()
        print(f"{name}\n{text}" if "\n" in text else f"{name:28}{text}", flush=True)
    return 0


def make_table(about: str, name: str, count: Callable[[], dict[str, object]]) -> int:
    """Writes what is counted as NAME.json, an innermost object a line."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=CAPTURED / f"{name}.json")
    out = parser.parse_args().out
    text = json.dumps(count(), indent=1)
    text = re.sub(r"\{([^{}]*)\}", lambda inner: "{" + " ".join(inner[1].split()) + "}", text)
    out.write_text(text + "\n", encoding="utf-8")
    return 0
