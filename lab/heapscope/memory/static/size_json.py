"""Static use out of the JSON that esp-idf-size writes: sizes, without addresses.

Forms: the summary (`--format json2`), by archive or file (`--archives`, `--files`), all of it
(`--format raw`), and the flat forms of its first version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.static.use import Section, SectionPiece, StaticUse, role_of

#: Its names of memory types, by ours. Everything else is flash or external memory.
_KINDS = {
    "DRAM": "DRAM",
    "IRAM": "IRAM",
    "DIRAM": "D/IRAM",
    "D/IRAM": "D/IRAM",
    "HP SRAM": "D/IRAM",
    "RTC FAST": "RTC",
    "RTC SLOW": "RTC",
    "LP SRAM": "RTC",
    "LP RAM": "RTC",
    "HP core RAM": "TCM",
    "External RAM": "SPIRAM",
    "SPI DRAM": "SPIRAM",
}
_FLAT = {
    f"{kind}_{part}": (name, part)
    for kind, name in (("dram", "DRAM"), ("iram", "IRAM"), ("diram", "D/IRAM"))
    for part in ("data", "bss", "rodata", "text", "vectors", "other")
}
_SIZE_MAX = 1 << 30
_NAME_MAX = 400

Row = tuple[str, str, int, str, str]  # kind, section, size, component, symbol


def read_size_json(text: bytes, *, name: str, chip: str) -> StaticUse:
    """InputError for JSON that is not esp-idf-size's, or is of another chip."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        place = f" at offset {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise _unknown(name, f"damaged JSON{place}") from None
    try:
        rows = [row for row in _rows(document) if row[2]]
    except (KeyError, TypeError, AttributeError, RecursionError):
        raise _unknown(name, "JSON, but not as esp-idf-size writes it") from None
    if not rows:
        raise _unknown(name, "JSON that names no RAM")
    target = document.get("target", chip)
    if target != chip:
        raise InputError(
            f"{name}: sizes of {printable(str(target))}, not of {chip}",
            remedy="give the firmware's own file, or the chip it is for with --chip",
        )
    return _shape(rows, name)


def _unknown(name: str, why: str) -> InputError:
    return InputError(
        f"{name}: {why}",
        remedy="write it with: idf.py size-components --format json2 --output-file size.json",
    )


def _rows(document: Any) -> Iterator[Row]:
    if "layout" in document:
        yield from _summary(document["layout"])
    elif "memory_types" in document:
        yield from _raw(document["memory_types"])
    elif any(key in _FLAT for key in document):
        yield from _flat(document)
    else:
        yield from _archives(document)


def _summary(layout: list[Any]) -> Iterator[Row]:
    for memory in layout:
        if kind := _KINDS.get(memory["name"]):
            for section, part in memory["parts"].items():
                yield kind, section, _size(part["size"]), "", ""


def _archives(document: Mapping[str, Any]) -> Iterator[Row]:
    for path, entry in document.items():
        component, _, file = _base(path).partition(":")
        if "memory_types" not in entry:
            yield from _old_archive(component, entry)
            continue
        for memory, result in entry["memory_types"].items():
            if kind := _KINDS.get(memory):
                for section, part in result["sections"].items():
                    yield kind, section, _size(part["size"]), component, file


def _old_archive(component: str, entry: Mapping[str, Any]) -> Iterator[Row]:
    """The first version knows sections alone, and sums that end in _total."""
    for section, size in entry.items():
        if section.startswith((".dram", ".noinit", ".iram", ".rtc")):
            kind = "IRAM" if section.startswith(".iram") else "DRAM"
            yield "RTC" if section.startswith(".rtc") else kind, section, _size(size), component, ""


def _raw(types: Mapping[str, Any]) -> Iterator[Row]:
    for memory, result in types.items():
        kind = _KINDS.get(memory)
        for section, held in result["sections"].items() if kind else ():
            left = _size(held["size"])
            for path, archive in held["archives"].items():
                for file, entry in archive["object_files"].items():
                    for symbol, size in _symbols(entry, _base(file)):
                        left -= size
                        yield kind or "", section, size, _base(path), symbol
            if left > 0:
                yield kind or "", section, left, "(padding)", "(padding)"


def _symbols(entry: Mapping[str, Any], file: str) -> Iterator[tuple[str, int]]:
    left = _size(entry["size"])
    for symbol, result in entry["symbols"].items():
        size = min(left, _size(result["size"]))
        left -= size
        yield str(symbol), size
    yield file, left


def _flat(document: Mapping[str, Any]) -> Iterator[Row]:
    for key, (kind, part) in _FLAT.items():
        if key in document:
            yield kind, f".{part}", _size(document[key]), "", ""


def _size(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _SIZE_MAX:
        raise TypeError
    return value


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2][:_NAME_MAX]


def _shape(rows: list[Row], name: str) -> StaticUse:
    sizes: dict[tuple[str, str], int] = {}
    for kind, section, size, _, _ in rows:
        sizes[kind, section] = sizes.get((kind, section), 0) + size
    place = {key: number for number, key in enumerate(sizes)}
    return StaticUse(
        file=name,
        form="JSON of esp-idf-size",
        sections=tuple(
            Section(name=printable(section), kind=kind, role=role_of(section), size=size)
            for (kind, section), size in sizes.items()
        ),
        pieces=tuple(
            SectionPiece(
                section=place[kind, section],
                size=size,
                component=printable(component),
                symbol=printable(symbol),
            )
            for kind, section, size, component, symbol in rows
        ),
        notes=(
            f"{name} has sizes and no addresses: the heap may begin some bytes later, by the "
            "alignment of sections",
        ),
    )
