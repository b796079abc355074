"""The files of a fleet by device: a folder, a pattern or a list of them. Parts of one log, as a
rotation leaves them, belong together and have an order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable

_PACKED = re.compile(r"\.(gz|zst|xz|bz2|lzma|Z)$")
_NUMBER = re.compile(r"\.(\d{1,4})(?=$|\.(?:log|txt|csv|jsonl?|ndjson|out)$)")
_DATE = re.compile(
    r"(?:^|[-_.])((?:19|20)\d\d[-_]?[01]\d[-_]?[0-3]\d"
    r"(?:[-_T]?\d\d[-_:]?\d\d(?:[-_:]?\d\d)?)?)(?![0-9A-Za-z])"
)
_KINDS = re.compile(r"\.(log|txt|csv|tsv|jsonl?|ndjson|prom|md|out|dump)$", re.IGNORECASE)
_MOST = 200_000  # files


@dataclass(frozen=True, kw_only=True)
class DeviceFiles:
    """The parts of one device's log, the oldest first. `name`: what tells it from the others;
    `folder`: the one that it is in, from the top that all share."""

    name: str
    folder: str
    files: tuple[Path, ...]


def listed(sources: Iterable[str]) -> list[Path]:
    """The files that the sources name, without those whose names begin with a dot. InputError: one
    of them names nothing."""
    files: dict[Path, None] = {}
    for source in sources:
        path = Path(source)
        if path.is_dir():
            found = sorted(_below(path))
        elif path.exists() or not has_magic(source):
            found = [path]
        else:
            found = sorted(one for one in _matches(path) if one.is_file())
        if not found:
            raise InputError(
                f"{printable(source, limit=400)}: no file", remedy="name files, or a folder of them"
            )
        files.update(dict.fromkeys(found))
    if len(files) > _MOST:
        raise InputError(f"{len(files):,} files are too many", remedy=f"name {_MOST:,} at most")
    return list(files)


def _matches(pattern: Path) -> Iterator[Path]:
    return Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not any(
            part.startswith(".") for part in path.relative_to(folder).parts
        ):
            yield path


def by_device(files: Sequence[Path]) -> list[DeviceFiles]:
    """In the order of their names. Files of one folder are parts of one log where their names
    differ in a date or in the number of a rotation alone."""
    top = _top(files)
    parts: dict[tuple[str, str], list[Path]] = {}
    for file in files:
        parts.setdefault((str(file.parent), _stem(file)), []).append(file)
    alone = len({folder for folder, _ in parts}) == len(parts)
    results = []
    for (folder, stem), held in parts.items():
        inner = Path(folder).relative_to(top) if Path(folder).is_relative_to(top) else Path(folder)
        above = "" if str(inner) == "." else inner.as_posix()
        name = "/".join(filter(None, (above, "" if above and alone else stem)))
        name = name or held[0].name
        results.append(DeviceFiles(name=name, folder=above, files=tuple(_ordered(held))))
    return sorted(results, key=lambda one: _natural(one.name))


def _top(files: Sequence[Path]) -> Path:
    parents = [file.parent for file in files]
    top = parents[0]
    while not all(parent.is_relative_to(top) for parent in parents) and top != top.parent:
        top = top.parent
    return top


def _stem(file: Path) -> str:
    name = _PACKED.sub("", file.name)
    name = _KINDS.sub("", _NUMBER.sub("", name))
    return _DATE.sub("", name)


def _ordered(files: Sequence[Path]) -> list[Path]:
    """The date in their names sorts them; else the highest number is the oldest, and the file
    without one the newest."""

    def key(file: Path) -> tuple[str, int, str]:
        name = _PACKED.sub("", file.name)
        date, number = _DATE.search(name), _NUMBER.search(name)
        digits = re.sub(r"\D", "", date[1]) if date else "9" * 14
        return digits, -int(number[1]) if number else 1, name

    return sorted(files, key=key)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """So that 2 comes before 10."""
    return [
        (1, int(part), "") if part.isdigit() else (0, 0, part)
        for part in re.findall(r"\d+|\D+", name)
    ]
