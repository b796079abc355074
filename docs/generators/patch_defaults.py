"""Makes data/options/defaults.zst: the defaults that a patch release has otherwise than the last
one of its minor, whose options stand for it.

    python docs/generators/patch_defaults.py CLONE

CLONE is a git clone of espressif/esp-idf with the tags of the releases. Options that a part of
memory asks for are kept, with their defaults and conditions.
"""

from __future__ import annotations

import csv
import re
import sys
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from option_tables import dumped, write
from patch_options import check_out, read_table

from heapscope.config.kconfig.table import ROOT, chips_of, release_for, release_text
from heapscope.config.releases import finished

_FIRST = "4.3"
_NAME = re.compile(r"\b[A-Z][A-Z0-9_]{3,}\b")


def main(clone: str) -> None:
    wanted = frozenset(_options())
    known = finished()
    rows: dict[str, dict[str, dict[str, object]]] = {}
    with tempfile.TemporaryDirectory() as name:
        for release in known[known.index(_FIRST) :]:
            last = release_for(release)
            if last == release or not last.startswith(f"{release[:3]}."):
                continue
            for each in (last, release):
                if not (Path(name) / each).exists():
                    check_out(clone, f"v{each}", Path(name) / each)
            for chip in chips_of(last):
                one, other = (read_table(Path(name) / each, each, chip) for each in (release, last))
                for option in wanted & one.symbols.keys() & other.symbols.keys():
                    own = one.symbols[option].defaults
                    if own != other.symbols[option].defaults:
                        rows.setdefault(option, {}).setdefault(release, {})[chip] = own
    write("defaults.zst", dumped(dict(sorted(rows.items()))), release_text(ROOT))


def _options() -> Iterator[str]:
    file = resources.files("heapscope.data") / "memory" / "parts.csv"
    for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines()):
        for column in ("when", "count", "bytes"):
            for name in _NAME.findall(row[column]):
                yield name
                yield name.replace("ESP_WIFI_", "ESP32_WIFI_", 1)


if __name__ == "__main__":
    main(sys.argv[1])
