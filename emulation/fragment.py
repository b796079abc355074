"""The linker fragment of the ESP-IDF drop-in, made from what its code can reach: what runs while
the flash cache is off has to lie in IRAM, and nothing else should. Without any optimisation each
function of the sources is there under its name, whatever a compiler would inline or split."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from emulation.drop_in import (
    CHOICES,
    COMPONENT,
    KINDS,
    RELEASES,
    compiled,
    flags_of,
    need,
    sources_of,
)
from emulation.places import MissingError
from emulation.reach import Code, reached, read

__all__ = ["FRAGMENT", "ROOTS", "fragment", "placed"]

FRAGMENT = COMPONENT / "heap" / "linker.lf"

#: Where calls come from while the flash cache may be off, and what is called by its address: from
#: the regions' configuration, the guard's, and the tracer.
ROOTS = (
    *("heap_caps_malloc", "heap_caps_calloc", "heap_caps_realloc", "heap_caps_free"),
    *("heap_caps_malloc_default", "heap_caps_realloc_default", "heap_caps_aligned_alloc"),
    *("heap_caps_malloc_prefer", "heap_caps_realloc_prefer", "heap_caps_calloc_prefer"),
    *("heap_caps_aligned_alloc_default", "heap_caps_aligned_free"),
    *("heap_caps_malloc_base", "heap_caps_calloc_base", "heap_caps_realloc_base"),
    *("heap_caps_aligned_alloc_base", "multi_heap_aligned_free"),
    *("multi_heap_malloc", "multi_heap_realloc", "multi_heap_free", "multi_heap_aligned_alloc"),
    *(
        "heapscope_esp_heaps_lock",
        "heapscope_esp_heaps_unlock",
        "heapscope_esp_task_now",
        "told",
        "tracer",
    ),
)

HEAD = """\
# Made by `python -m emulation.fragment`, which follows every call of the code: what runs while
# the flash cache is off, thus whatever allocating, resizing and freeing can reach, by objects and
# by single functions and constants. tests/packaging compares this with what is reached.
[mapping:heap]
archive: libheap.a
entries:
    if HEAP_PLACE_FUNCTION_INTO_FLASH = n:
"""
GUARDED = "if HEAP_POISONING_DISABLED = n || HEAP_TASK_TRACKING = y:"
TRACED = "if HEAP_TRACING_STANDALONE = y:"
#: A release of each sort, of which the last has the most.
OF_RELEASES = (RELEASES[0], RELEASES[-1])


def unoptimised(choice: str, release: str, folder: Path) -> Code:
    """The component's objects under a choice of options."""
    kind, options = KINDS["riscv"], CHOICES[choice]
    need(kind)
    flags = ["-O0" if flag == "-Os" else flag for flag in flags_of(kind, release, options, folder)]
    return read([compiled(kind, flags, path, folder) for path in sources_of(options)])


def survey(choices: Iterable[str]) -> set[str]:
    """Objects of which all that the component uses is reached, and single names of the others, in
    any of these choices."""
    own = {path.stem for path in (COMPONENT / "src").glob("*.c")}
    there: set[str] = set()
    left: set[str] = set()
    for choice in choices:
        for release in OF_RELEASES:
            with TemporaryDirectory() as folder:
                code = unoptimised(choice, release, Path(folder))
            interface = [name for name, place in code.homes.items() if place[0] in own]
            result = reached(code, ROOTS)
            there |= result
            unmoved = (reached(code, interface) & code.functions()) - result
            left |= {one.split(":")[0] for one in unmoved}
    return {one if one.split(":")[0] in left else one.split(":")[0] for one in there}


def without(entries: set[str], others: set[str]) -> set[str]:
    """Those that the others do not place already."""
    return {one for one in entries if one not in others and one.split(":")[0] not in others}


def lines(entries: Iterable[str], indent: int) -> str:
    return "".join(f"{' ' * indent}{one} (noflash)\n" for one in sorted(entries))


def fragment() -> str:
    """The text of linker.lf. MissingError: no compiler."""
    always = survey(["plain", "abort", "hooks"])
    guarded = without(survey(["light", "tracking", "filled"]), always)
    traced = {one for one in survey(["all"]) if one.split(":")[0] == "heap_trace"}
    return (
        HEAD
        + lines(always, 8)
        + f"\n        {GUARDED}\n{lines(guarded, 12)}"
        + f"\n        {TRACED}\n{lines(traced, 12)}"
    )


def placed(one: str, entries: Iterable[str]) -> bool:
    """Is an `object:name` placed into IRAM?"""
    known = set(entries)
    return one in known or one.split(":")[0] in known


if __name__ == "__main__":
    try:
        FRAGMENT.write_text(fragment(), encoding="utf-8")
    except MissingError as error:
        sys.exit(str(error))
