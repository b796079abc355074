"""docs/reference/releases.md, made from the tables of releases."""

from __future__ import annotations

import itertools

from pages import make

from heapscope.config.releases import arduino_cores, releases

HEAD = """\
# Releases of ESP-IDF

`make generated` makes this page from
[the tables of releases](../../lab/heapscope/data/releases/README.md), which name their sources.

`--idf` takes a version in any spelling that a log or `idf.py --version` prints: `5.1.4`,
`v5.3.1-dirty`, `5.1.4-497-gdc859c1e67`, `ESP-IDF v4.4.6-dirty`, `v5.5-beta1`, `release/v5.1`, or
the name of PlatformIO's package (`3.40407.240606`). A patch release that is not in the table is
taken as the nearest of its minor, and the output says so. A minor that is not in the table is an
error.

## The allocator of each release

From a row to the next one, versions have the same allocator. `4.4.3-181` is the 181st commit after
4.4.3, as `git describe` counts, and `5.2-dev-3623` the same of the development before 5.2.

"""

ARDUINO = """
## Cores of arduino-esp32

A core that is not in the table is taken as the nearest of its minor, and the output says so.

"""


def markdown() -> str:
    rows = ["| releases | allocator |", "| --- | --- |"]
    for allocator, group in itertools.groupby(releases().items(), key=lambda row: row[1]):
        names = [name for name, _ in group]
        span = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        rows.append(f"| {span} | {allocator} |")
    cores = ["| core | ESP-IDF |", "| --- | --- |"]
    for release, pairs in itertools.groupby(arduino_cores().items(), key=lambda row: row[1]):
        names = [core for core, _ in pairs]
        cores.append(f"| {', '.join(names)} | {release} |")
    return HEAD + "\n".join(rows) + "\n" + ARDUINO + "\n".join(cores) + "\n"


if __name__ == "__main__":
    make("docs/reference/releases.md", markdown())
