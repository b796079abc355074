"""The names that a linker sees in the device's code, which is linked into other people's firmware:
each carries the noun of its module. And no assertion is left in a release."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "device/src").rglob("*.c"))
ESP_IDF = ROOT / "device/compat/esp_idf"
#: Together they compile every function of ESP-IDF's interface.
ESP_IDF_OPTIONS = {
    "plain": (),
    "tracking": ("-DCONFIG_HEAP_TASK_TRACKING=1", "-DCONFIG_HEAP_TRACK_DELETED_TASKS=1"),
}
#: heapscope/source.h declares the source of each module beside the others.
ELSEWHERE = {("pool/source.c", "hs_heap_source")}
#: ESP-IDF has it too, and declares it only in its own tests.
UNDECLARED = {"heap_caps_check_add_region_allowed", "esp_heap_adjust_alignment_to_hw"}
DEFINED = re.compile(r"^[0-9a-f]+ [BCDRSTVW] _?(\w+)$", re.MULTILINE)
VIOLATED = """
#include <stdio.h>
#include <stdlib.h>
#include "heapscope/assert.h"
void hs_assert_failed(const char *condition, const char *file, int line)
{
    puts(condition);
    exit(file != NULL && line > 0 ? 3 : 4);
}
int main(void)
{
    HS_ASSERT(2 > 1);
    HS_ASSERT(1 > 2);
    return 0;
}
"""


def compiled(cc, folder: Path, sources: Sequence[Path], *flags: str | Path) -> list[Path]:
    """The compiler's output for each source: an object, or with -S its assembly."""
    kind = () if "-S" in flags else ("-c",)
    include = ("-I", ROOT / "device/include")

    def one(source: Path) -> Path:
        output = folder / f"{source.parent.name}-{source.stem}"
        cc(*kind, *flags, *include, "-std=gnu11", source, "-o", output)
        return output

    folder.mkdir()
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(one, sources))


def prefixes(source: Path) -> re.Pattern[str]:
    """How a name in this file may begin: with the noun of its folder or of the file."""
    nouns = {part.removesuffix("s") for part in (source.parent.name, source.stem)}
    return re.compile(rf"hs_({'|'.join(sorted(nouns))})s?_")


def test_each_name_has_the_noun_of_its_folder_or_file(cc, nm, tmp_path: Path) -> None:
    bare, count = [], 0
    for source, built in zip(SOURCES, compiled(cc, tmp_path / "made", SOURCES), strict=True):
        file = source.relative_to(ROOT / "device/src").as_posix()
        names = {(file, name) for name in DEFINED.findall(nm("-g", built))}
        bare += [pair for pair in names - ELSEWHERE if not prefixes(source).match(pair[1])]
        count += len(names)
    assert count > 100
    assert sorted(bare) == []


@pytest.mark.parametrize("options", ESP_IDF_OPTIONS)
def test_a_name_that_esp_idf_does_not_have_says_heapscope(
    cc, nm, tmp_path: Path, options: str
) -> None:
    headers = sorted((ESP_IDF / "include").rglob("*.h"))
    known = set(re.findall(r"\w+", "".join(path.read_text("utf-8") for path in headers)))
    flags = ("-I", ESP_IDF / "include", *ESP_IDF_OPTIONS[options])
    built = compiled(cc, tmp_path / "made", sorted((ESP_IDF / "src").glob("*.c")), *flags)
    names = {name for path in built for name in DEFINED.findall(nm("-g", path))}
    assert "heap_caps_malloc" in names
    own = names - known - UNDECLARED
    assert [name for name in sorted(own) if not name.startswith("heapscope_esp_")] == []


@pytest.mark.slow
def test_assertions_that_are_compiled_out_leave_no_instruction(cc, tmp_path: Path) -> None:
    empty = tmp_path / "without" / "heapscope"
    empty.mkdir(parents=True)
    (empty / "assert.h").write_text("#define HS_ASSERT(condition) ((void)0)\n", encoding="utf-8")
    release = compiled(cc, tmp_path / "release", SOURCES, "-S", "-Os")
    without = compiled(cc, tmp_path / "bare", SOURCES, "-S", "-Os", "-I", empty.parent)
    assert [
        a.name for a, b in zip(release, without, strict=True) if a.read_text() != b.read_text()
    ] == []


def test_a_violated_assertion_reaches_the_handler_of_the_program(cc, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(VIOLATED, encoding="utf-8")
    cc(
        "-DHS_ASSERTS=1",
        "-I",
        ROOT / "device/include",
        tmp_path / "main.c",
        "-o",
        tmp_path / "main",
    )
    run = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (3, "1 > 2\n")
