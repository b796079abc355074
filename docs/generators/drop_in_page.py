"""docs/reference/esp_idf_asked.md, made from the lists of what ESP-IDF asks, and from the sizes
of the drop-in that `python -m emulation.drop_in` measures."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from pages import make

ROOT = Path(__file__).resolve().parents[2]
QUERIED = ROOT / "device" / "compat" / "esp_idf" / "asked"
SIZES = ROOT / "lab" / "heapscope" / "data" / "heap_code" / "drop_in_linked.csv"

HEAD = """\
# The demands of ESP-IDF on its component heap

`make generated` makes this page from `device/compat/esp_idf/asked`. The lists say what other
components of ESP-IDF use, release by release, and what [the drop-in](esp_idf.md) gives them. They
were made from the sources of the tags v4.2.5, v4.3.7, v4.4.8, v5.0.9, v5.1.7, v5.2.7, v5.3.5,
v5.4.4, v5.5.5, v6.0.2 and v6.1-beta1, and of the development branch of 23 July 2026, here
"master". [A test](../../tests/packaging/test_heap_asked.py) compiles the component for each
release with stand-ins for ESP-IDF's headers, and holds it against each list.
"""

SETS = """\
A set is given as call sites write it, without `MALLOC_CAP_`. Each of them gets the memory and the
alignment that the original gives it, or NULL where it gives NULL.

"""

SIZE = """
## Bytes

The component without the chip's table, as a firmware links it that allocates, asks for sizes,
adds regions, and uses what the options are for. Debian's gcc 12 with -Os compiled it for rv32imc,
and for the LX106 as the nearest to Xtensa chips that it knows. `python -m emulation.drop_in`
measures it. The arithmetic of the compiler's library is in the ROM of the chips and is not
counted. RAM is what variables take, and the constants of code that lies in IRAM.

| options | what they are |
| --- | --- |
| plain | no poisoning, no tracking, no traces |
| tracking | `CONFIG_HEAP_TASK_TRACKING` |
| light | `CONFIG_HEAP_POISONING_LIGHT` |
| all | comprehensive poisoning, tracking and standalone traces |
| flash | plain, with `CONFIG_HEAP_PLACE_FUNCTION_INTO_FLASH` |

"""


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def queried(name: str) -> list[dict[str, str]]:
    return rows(QUERIED / f"{name}.csv")


def table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> Iterator[str]:
    head = list(head)
    yield "| " + " | ".join(head) + " |\n"
    yield "| " + " | ".join("---" for _ in head) + " |\n"
    for line in lines:
        yield "| " + " | ".join(text.replace("|", "\\|") for text in line) + " |\n"


def spans(releases: str) -> str:
    return releases.replace("..", " to ").replace(" to master", " on")


def given(row: dict[str, str]) -> str:
    """Its standing, and why."""
    return row["standing"] + (f": {row['because']}" if row["because"] else "")


def parts() -> Iterator[str]:
    yield HEAD
    yield "\n## The start\n\n"
    yield from table(
        ("call or entry", "by whom", "when", "releases", "here"),
        [
            (f"`{row['call']}`", row["who"], row["order"], spans(row["releases"]), given(row))
            for row in queried("start")
        ],
    )
    symbols = queried("symbols")
    yield "\n## Functions that are served\n\n"
    served: dict[str, list[dict[str, str]]] = {}
    for row in symbols:
        if row["standing"] == "served" and row["kind"] == "function":
            served.setdefault(row["name"], []).append(row)
    yield from table(
        ("function", "releases", "components that use it"),
        [
            (
                f"`{name}`",
                ", ".join(spans(row["releases"]) for row in some),
                " ".join(sorted({user for row in some for user in row["users"].split()}))
                or "applications",
            )
            for name, some in served.items()
        ],
    )
    yield "\n## Names that are left out\n\n"
    left: dict[str, list[dict[str, str]]] = {}
    for row in symbols:
        if row["standing"] == "left out":
            left.setdefault(row["because"], []).append(row)
    yield from table(
        ("names", "why"),
        [
            (", ".join(dict.fromkeys(f"`{row['name']}`" for row in some)), why)
            for why, some in left.items()
        ],
    )
    yield "\n## Structures\n\n"
    yield from table(
        ("type", "releases", "here"),
        [
            (f"`{row['type']}`", spans(row["releases"]), given(row))
            for row in queried("structs")
            if row["standing"] != "kept"
        ],
    )
    yield "\n## Options\n\n"
    yield from table(
        ("option", "default there", "range there", "releases", "here"),
        [
            (
                f"`{row['option']}`",
                row["default"],
                row["range"],
                spans(row["releases"]),
                given(row),
            )
            for row in queried("options")
        ],
    )
    yield "\n## Sets of capabilities\n\n"
    yield SETS
    yield from table(
        ("capabilities", "releases", "components"),
        [
            (f"`{row['capabilities']}`", spans(row["releases"]), row["users"])
            for row in queried("capabilities")
        ],
    )
    yield SIZE
    yield from sizes()


def sizes() -> Iterator[str]:
    """One row for releases that have the same figures."""
    figures = ("iram_bytes", "flash_bytes", "ram_bytes")
    same: dict[tuple[str, ...], list[str]] = {}
    for row in rows(SIZES):
        key = (row["chip_kind"], row["options"], *(f"{int(row[one]):,}" for one in figures))
        same.setdefault(key, []).append(row["idf"])
    order = sorted(same, key=lambda key: (key[0], list(same).index(key)))
    yield from table(
        ("chips", "options", "ESP-IDF", "IRAM", "flash", "RAM"),
        [(key[0], key[1], ", ".join(same[key]), *key[2:]) for key in order],
    )


if __name__ == "__main__":
    make("docs/reference/esp_idf_asked.md", "".join(parts()))
