"""Lines of published configurations that a build takes or refuses, against what lint says of them.

    python benches/example_lines.py [CSV] [--list]

CSV (or .csv.zst; else that of the tests) has a row for each line of a file, as a release's own
program took it: `version`, `path`, `chip`, `read_together` (the files that are read in this
order), `line`, `text`, `status` (accepted, changed, not visible, rejected, unknown, malformed,
overridden) and `note`. lint is not asked to find a line that a project's own Kconfig file or a
component of the registry may know.
Rows of a set of files are left out where the CSV lacks one of the set.
--list names each line that was missed, and each finding that is false.
"""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import zstandard

from heapscope.config.config import settle
from heapscope.config.lint.find import lint
from heapscope.config.read_file import ConfigFile

Row = dict[str, str]
LINES = Path(__file__).parents[1] / "tests" / "lab" / "lint" / "example_lines.csv.zst"
REFUSED = ("changed", "not visible", "rejected", "unknown", "malformed")
OWN, MANAGED = "own option", "managed component"


def main(arguments: Sequence[str]) -> int:
    paths = [each for each in arguments if not each.startswith("--")]
    if len(paths) > 1 or set(arguments) - {*paths, "--list"}:
        print(__doc__, file=sys.stderr)
        return 2
    counted: Counter[str] = Counter()
    for kind, row, stated in judged(rows_of(Path(paths[0]) if paths else LINES)):
        counted[kind] += 1
        if "--list" in arguments and kind in ("missed", "false"):
            place = f"{row['version']} {row['chip']} {row['path']}:{row['line']}"
            print(f"{kind}: {place}: {row['text']} [{row['status']} {row['note']}] {stated}")
    print(sentence(counted))
    return 0


def sentence(counted: Counter[str]) -> str:
    refused = counted["found"] + counted["missed"]
    taken = counted["silent"] + counted["false"]
    return (
        f"{counted['found']} of {refused} refused lines found "
        f"({100 * counted['found'] / max(1, refused):.1f} %); {counted['false']} false findings on "
        f"{taken} other lines ({1000 * counted['false'] / max(1, taken):.2f} in a thousand); "
        f"{counted['left out']} lines are left out"
    )


def rows_of(path: Path) -> list[Row]:
    content = path.read_bytes()
    if path.suffix == ".zst":
        content = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content)).read()
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def judged(rows: Sequence[Row]) -> Iterator[tuple[str, Row, str]]:
    """Each line with "found", "missed", "false" or "silent", and the sentences of lint about it."""
    texts: dict[tuple[str, str], dict[int, str]] = {}
    groups: dict[tuple[str, str, str, str], list[Row]] = {}
    for row in rows:
        texts.setdefault((row["version"], row["path"]), {})[int(row["line"])] = row["text"]
        key = (row["version"], row["chip"], row["read_together"], row["path"])
        groups.setdefault(key, []).append(row)
    for (version, chip, together, path), lines in sorted(groups.items()):
        names = together.split()
        if any((version, name) not in texts for name in names):
            yield from (("left out", row, "") for row in lines)
            continue
        files = [ConfigFile(name=name, text=_text(texts[version, name])) for name in names]
        findings = lint(settle(files, chip=chip, sdk=version)).findings
        stated: dict[int, list[str]] = {}
        for each in findings:
            if each.severity == "K" and each.file == path:
                stated.setdefault(each.line, []).append(f"{each.rule}: {each.message}")
        for row in lines:
            about = stated.get(int(row["line"]), [])
            if row["status"] == "overridden":
                continue
            if row["status"] in REFUSED and OWN not in row["note"] and MANAGED not in row["note"]:
                yield ("found" if about else "missed"), row, "; ".join(about)
            else:
                yield ("false" if about else "silent"), row, "; ".join(about)


def _text(lines: dict[int, str]) -> str:
    return "\n".join(lines.get(number, "") for number in range(1, max(lines) + 1)) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
