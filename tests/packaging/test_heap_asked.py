"""The component that takes the place of ESP-IDF's heap, held against what each release's other
components ask of it: the lists of device/compat/esp_idf/asked, made of the sources of ESP-IDF's
releases."""

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from tests.packaging.esp_idf_stand_in import (
    COMPONENT,
    EVERY_RELEASE,
    HERE,
    build,
    configured,
    number,
)

REQUESTED = COMPONENT.parent / "asked"
HEADERS = COMPONENT.parent / "include"
Row = Mapping[str, str]
ALL = (
    *("HEAP_POISONING_DISABLED", "HEAP_TASK_TRACKING", "HEAP_TRACING_STANDALONE"),
    *("HEAP_TRACK_DELETED_TASKS", "HEAP_USE_HOOKS"),
)


@cache
def rows(name: str) -> list[Row]:
    with (REQUESTED / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def holds(releases: str, release: str) -> bool:
    """`4.2..5.1 6.0`: is it one of these?"""
    at = EVERY_RELEASE.index(release)
    for span in releases.split():
        first, _, last = span.partition("..")
        if EVERY_RELEASE.index(first) <= at <= EVERY_RELEASE.index(last or first):
            return True
    return False


def of(name: str, release: str, standing: str | None = None) -> list[Row]:
    return [
        row
        for row in rows(name)
        if holds(row["releases"], release) and standing in (None, row.get("standing"))
    ]


def test_each_release_and_each_reason_is_reported() -> None:
    for name in ("symbols", "options", "structs", "start"):
        for row in rows(name):
            assert row["standing"] in ("served", "kept", "left out", "always n"), row
            assert row["because"] or row["standing"] in ("served", "kept"), row
    for release in EVERY_RELEASE:
        assert len(of("symbols", release, "served")) > 50


# ---- names, types, structures -------------------------------------------------------------------


def declarations(release: str) -> str:
    """A program's source that has each asked macro, type and function as its users know them."""
    lines = ['#pragma GCC diagnostic ignored "-Wdeprecated-declarations"']
    lines += [f'#include "{name}"' for name in INCLUDED]
    for at, row in enumerate(of("symbols", release, "served")):
        name, kind = row["name"], row["kind"]
        if kind == "macro":
            lines.append(f"#ifndef {name}\n#error {name}\n#endif")
        elif kind == "enumerator":
            lines.append(f"enum {{ check_{at} = {name} }};")
        elif kind == "type":
            lines.append(f"typedef {name} *check_{at}_t;")
        elif kind == "function":
            result, _, arguments = row["type"].partition("(")
            # Older releases define some with a capability that is signed.
            arguments = re.sub(r", int\)$", ", uint32_t)", arguments)
            lines.append(f"{result}(*check_{at})({arguments} = {name};")
    for at, row in enumerate(of("structs", release, "served")):
        for index, member in enumerate(row["members"].split("; ")):
            one = member.partition("[")[0]
            if one.isupper():
                lines.append(f"enum {{ member_{at}_{index} = {one} }};")
            elif "hashmap" not in one:  # left out, as its row says
                size = f"sizeof((({row['type']} *)0)->{one})"
                lines.append(f"const unsigned member_{at}_{index} = {size};")
    return "\n".join([*lines, "int main(void) { return 0; }", ""])


INCLUDED = (
    *("esp_heap_caps.h", "esp_heap_caps_init.h", "esp_heap_task_info.h", "esp_heap_trace.h"),
    *("multi_heap.h", "undeclared.h"),
)
#: Functions of the original that no header of anybody declares; its users do.
UNDECLARED = """
#include <stdbool.h>
#include <stdint.h>
bool heap_caps_check_add_region_allowed(intptr_t a, intptr_t b, intptr_t c, intptr_t d);
"""


def defined(nm, folder: Path) -> set[str]:
    text = nm(folder / "build" / "heap" / "libheap.a")
    return set(re.findall(r" [TWDRBCw] (\w+)$", text, re.MULTILINE))


@pytest.mark.slow
@pytest.mark.cells(1)
@pytest.mark.parametrize("release", EVERY_RELEASE)
def test_what_others_call_is_there(cmake, nm, tmp_path: Path, release: str) -> None:
    configured(ALL, tmp_path)
    (tmp_path / "undeclared.h").write_text(UNDECLARED, encoding="utf-8")
    (tmp_path / "declared.c").write_text(declarations(release), encoding="utf-8")
    build(cmake, tmp_path, release=release, programs=[tmp_path / "declared.c"])
    there = defined(nm, tmp_path)
    functions = [row for row in of("symbols", release, "served") if row["kind"] == "function"]
    absent = {row["name"] for row in functions} - there
    assert not absent
    left_out = {row["name"] for row in of("symbols", release, "left out")}
    assert not left_out & there
    entry = "esp_system_init_fn" in (tmp_path / "build" / "declared").read_bytes().decode("latin1")
    assert entry == (number(release) >= 503)


# ---- capabilities -------------------------------------------------------------------------------


@cache
def bits() -> dict[str, int]:
    text = (HEADERS / "esp_heap_caps.h").read_text(encoding="utf-8")
    matches = re.findall(r"#define MALLOC_CAP_(\w+) \(1u? << (\d+)\)", text)
    others = re.findall(r"#define MALLOC_CAP_(\w+) MALLOC_CAP_(\w+)", text)
    numbers = {name: 1 << int(bit) for name, bit in matches}
    return numbers | {name: numbers[same] for name, same in others}


def number_of(names: str) -> int:
    return sum(bits()[name] for name in names.split())


FLAGS = ("DMA", "DMA_DESC_AHB", "DMA_DESC_AXI", "CACHE_ALIGNED", "SIMD")


@dataclass(frozen=True)
class Chip:
    """A chip in a release: its memories, and the alignment that each flag asks for."""

    name: str
    release: str
    encrypted: bool

    def memories(self) -> list[tuple[str, list[int]]]:
        """External memory is the last. Where a chip has several sorts of it, the first joins."""
        results = [
            (row["memory"], [number_of(row[f"priority_{i}"]) for i in range(3)])
            for row in of("memories", self.release)
            if row["chip"] == self.name and "off" in row["protection"].split()
        ]
        outside = [one for one in results if (one[1][0] | one[1][1]) & bits()["SPIRAM"]]
        return [one for one in results if one not in outside] + outside[:1]

    def alignment(self, flag: str, outside: bool) -> int:
        """The rule gives them, with the largest line that the chip's options allow."""
        memory = "SPIRAM" if outside else "internal"
        encryption = ("any", "on" if self.encrypted else "off")
        results = [
            int(row["alignment"].split()[-1])
            for row in of("rules", self.release)
            if (row["chip"], row["flag"], row["memory"]) == (self.name, flag, memory)
            and row["encryption"] in encryption
            and row["alignment"]
        ]
        return max(results, default=4)

    def expected(self, requested: set[str]) -> tuple[int, int]:
        """Alignment and memories of a request, a bit each."""
        left, alignment = set(requested), 4
        if number(self.release) >= 503 and left & set(FLAGS):
            outside = "SPIRAM" in left
            alignment = max(self.alignment(flag, outside) for flag in left & set(FLAGS))
            if left & {"DMA_DESC_AHB", "DMA_DESC_AXI"}:
                left |= {"DMA"}
            left -= {"CACHE_ALIGNED", "DMA_DESC_AHB", "DMA_DESC_AXI", *(["DMA"] if outside else [])}
        wanted = number_of(" ".join(left))
        if not left or ("EXEC" in left and left & {"8BIT", "DMA"}):
            return alignment, 0
        fits = [wanted & ~(caps[0] | caps[1] | caps[2]) == 0 for _, caps in self.memories()]
        return alignment, sum(1 << at for at, one in enumerate(fits) if one)

    def text(self) -> str:
        """The description that the program reads."""
        lines = []
        for at, (name, caps) in enumerate(self.memories()):
            numbers = " ".join(map(str, caps))
            outside = bool((caps[0] | caps[1]) & bits()["SPIRAM"])
            lines.append(
                f"x {at} {numbers}" if outside else f"m {name.replace(' ', '_')} {numbers}"
            )
            if self.name == "esp32" and name == "RTCRAM":
                lines.append(f"t {at}")
        for outside in (False, True):
            for at, flag in enumerate(FLAGS):
                lines.append(f"a {outside:d} {at} {self.alignment(flag, outside)}")
        for row in of("capabilities", self.release):
            requested = set(row["capabilities"].split())
            alignment, memories = self.expected(requested)
            lines.append(f"c {number_of(row['capabilities'])} {alignment} {memories}")
        return "\n".join([*lines, ""])


def chips(release: str) -> list[str]:
    return sorted({row["chip"] for row in of("memories", release)})


@pytest.mark.slow
@pytest.mark.parametrize("release", EVERY_RELEASE)
def test_every_request_gets_its_memory_on_every_chip(cmake, tmp_path: Path, release: str) -> None:
    configured(("HEAP_POISONING_DISABLED",), tmp_path)
    layout = HERE / "layout_of_chip.c"
    build(cmake, tmp_path, release=release, programs=[HERE / "asked.c"], layout=layout)
    assert chips(release)
    for name in chips(release):
        for encrypted in (False, True):
            chip = Chip(name, release, encrypted)
            stated = run(tmp_path, chip.text())
            assert ", 0 wrong" in stated, (chip, stated)
    assert len(of("capabilities", release)) > 10


def run(folder: Path, text: str) -> str:
    ran = subprocess.run(
        [folder / "build" / "asked"], input=text, capture_output=True, text=True, check=False
    )
    assert ran.returncode in (0, 1), (ran, text)
    return ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("release", ["5.1", "5.5"])
def test_code_in_the_clock_s_memory_is_given_by_its_instruction_address(
    cmake, tmp_path: Path, release: str
) -> None:
    """In an ESP32, from 5.2 on: the program reports the data's address as wrong."""
    configured(("HEAP_POISONING_DISABLED",), tmp_path)
    layout = HERE / "layout_of_chip.c"
    build(cmake, tmp_path, release=release, programs=[HERE / "asked.c"], layout=layout)
    ram, clock = number_of("8BIT 32BIT DEFAULT INTERNAL"), number_of("RTCRAM EXEC 32BIT 8BIT")
    text = f"c {number_of('EXEC')} 4 2\nc {number_of('EXEC 32BIT')} 4 2\n"
    stated = run(tmp_path, f"m ram {ram} 0 0\nm clock {clock} 0 0\nt 1\n{text}")
    assert "2 requests, 0 wrong" in stated, stated


@pytest.mark.slow
def test_parts_of_memory_beyond_the_most_are_left_out_and_others_join(
    cmake, tmp_path: Path
) -> None:
    configured(("HEAP_POISONING_DISABLED",), tmp_path)
    layout = HERE / "layout_of_chip.c"
    build(cmake, tmp_path, programs=[HERE / "asked.c"], layout=layout)
    caps = number_of("8BIT 32BIT DEFAULT INTERNAL")
    outside = number_of("SPIRAM 8BIT")
    parts = "".join(f"m part_{i} {caps} 0 0\n" for i in range(100))
    stated = run(tmp_path, f"{parts}x 31 {outside} 0 0\nc {outside} 4 {1 << 31}\n")
    assert "1 requests, 0 wrong" in stated, stated
    assert 24 <= int(stated.split()[-2]) // 16384 <= 32


# ---- options ------------------------------------------------------------------------------------


def first(default: str, riscv: bool) -> str:
    """`0 if IDF_TARGET_ARCH_RISCV && ... | 2`: the value on such a chip."""
    for choice in default.split(" | "):
        value, _, condition = choice.partition(" if ")
        if not condition or (condition.startswith("IDF_TARGET_ARCH_RISCV") and riscv):
            return value
    return default


@pytest.mark.parametrize("riscv", [False, True])
def test_each_option_has_its_default_and_its_range(tmp_path: Path, riscv: bool) -> None:
    arch = f"config IDF_TARGET_ARCH_RISCV\n bool\n default {'y' if riscv else 'n'}\n"
    tracing = ("HEAP_TRACING_STANDALONE", "HEAP_TASK_TRACKING")
    values = configured(tracing, tmp_path, others=arch)
    (tmp_path / "without").mkdir()
    untraced = configured((), tmp_path / "without", others=arch)
    last = EVERY_RELEASE[-1]
    for release in EVERY_RELEASE:
        for row in of("options", release):
            name = row["option"]
            if row["standing"] == "left out":
                assert name not in values
            elif row["standing"] == "always n":
                assert values[name] == "n"
            elif row["type"] == "int":
                if holds(row["releases"], last):
                    assert values[name] == first(row["default"], riscv)
                least, most = row["range"].rpartition("|")[2].split()
                assert (int(least), int(most)) in ((0, 10), (0, 32))  # ours is 0 to 32
            elif row["default"] in ("n", "y"):
                assert untraced[name] == row["default"], name
            else:
                assert name in values
    assert values["HEAP_HAS_EXEC_HEAP"] == "y"
    (tmp_path / "protected").mkdir()
    protected = "config ESP_SYSTEM_MEMPROT\n bool\n default y\n"
    assert configured((), tmp_path / "protected", others=protected)["HEAP_HAS_EXEC_HEAP"] == "n"
