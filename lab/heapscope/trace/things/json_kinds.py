"""The kind of a JSON document, by its first names."""

from __future__ import annotations

import re

from heapscope.trace.things.kind import OTHER, UNKNOWN, KnownAs

_RESULT = re.compile(rb'\s*\{\s*"heapscope_([a-z_]{2,30})"\s*:\s*\d+')
_NAME = re.compile(rb'"([A-Za-z_0-9]{1,80})"\s*:')
_OPTION = re.compile(rb"[A-Z][A-Z0-9_]*")
_BUILD = (b"project_elf", b"app_elf", b"project_name")
_SIZES = (b"dram_data", b"memory_types", b"used_dram", b"total_size", b"image_size")
_BROKEN = re.compile(rb'\s*\{\s*\n\s*"')
_NAMES_MAX = 400


def kind_of_json(head: bytes) -> KnownAs | None:
    """None: not of this kind, or one whose lines are a log's."""
    if head.lstrip()[:1] != b"{":
        return None
    result = _RESULT.match(head)
    if result is not None:
        verb = result[1].decode().replace("_", "-")
        return KnownAs(kind="result", what=f"a result of heapscope {verb}")
    names = [match[1] for match in _NAME.finditer(head[: 1 << 16])][:_NAMES_MAX]
    if sum(bool(_OPTION.fullmatch(name)) for name in names) * 2 > len(names) > 1:
        known = b"IDF_TARGET" in names or any(name.startswith(b"ESP") for name in names)
        return KnownAs(kind="sdkconfig", what="an sdkconfig.json") if known else None
    if b"dhatFileVersion" in names:
        return KnownAs(
            kind=OTHER,
            what="a profile of valgrind's DHAT",
            remedy="it has sums and not each call; record the program",
            words=("record", "-o", "T.hst", "--", "./PROGRAM"),
        )
    if sum(name in names for name in _BUILD) > 1:
        return KnownAs(
            kind=OTHER,
            what="a build's project_description.json",
            remedy="give the folder that it is in",
        )
    if any(name in names for name in _SIZES):
        return KnownAs(kind="size", what="the JSON of esp-idf-size")
    # A log may have a document in each of its lines.
    return KnownAs(kind=UNKNOWN, what="a JSON document") if _BROKEN.match(head) else None
