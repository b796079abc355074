"""Budgets of stacks, of the memory that is left, and of components, by a build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.lab.budgets.conftest import Check, rows
from tests.lab.ram.ram_of import ram_of
from tests.lab.static.conftest import MAP
from tests.lab.static.test_static_image import esp32

from heapscope.answers.ram.ram_result import RamResult, RamTaskRow
from heapscope.base.errors import InputError
from heapscope.fleet.budgets.budget import Budget, budgets_of
from heapscope.fleet.budgets.judge_ram import judge_ram
from heapscope.fleet.budgets.judgement import status_of


def budget(kind: str, name: str, value: str) -> Budget:
    (one,) = budgets_of(kind, {name: value})
    return one


def task(name: str, size: int | None, bound: int | None) -> RamTaskRow:
    known = size is not None and bound is not None
    return RamTaskRow(
        task=name,
        created_by="app_main",
        size=size,
        deepest=bound or 100,
        bound=bound,
        back=(size or 0) - (bound or 0) if known else None,
        holes=int(bound is None),
        hole="" if bound is not None else "indirect call: work",
    )


@pytest.fixture
def ram(tmp_path: Path) -> RamResult:
    path = tmp_path / "app.map"
    path.write_text(MAP, encoding="utf-8", newline="\n")
    return ram_of(path, idf="5.5")


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("main", "512B free", "kept"),
        ("main", "1025B free", "broken"),
        ("main", "1KB", "kept"),
        ("net_*", "100B free", "broken"),
        ("w*", "100B free", "unknown"),
        ("*", "100B free", "broken"),
        ("m*", "16B free", "kept"),
        ("mian", "16B free", "unknown"),
    ],
)
def test_a_stack_has_the_bytes_that_its_bound_leaves(
    ram: RamResult, name: str, value: str, status: str
) -> None:
    tasks = (task("main", 4096, 3072), task("net_rx", 2048, 2000), task("work", 4096, None))
    chosen = budget("stack", name, value)
    assert status_of(chosen, judge_ram(chosen, _with(ram, tasks))) == status


def _with(ram: RamResult, tasks: tuple[RamTaskRow, ...]) -> RamResult:
    values: dict[str, Any] = {**vars(ram), "tasks": tasks}
    return RamResult(**values)


def test_a_stack_without_a_bound_keeps_no_budget(ram: RamResult) -> None:
    chosen = budget("stack", "*", "16B free")
    tasks = (task("main", 4096, 3072), task("idle", None, 600))
    moved = judge_ram(chosen, _with(ram, tasks))
    assert status_of(chosen, moved) == "unknown"
    assert moved.why == "the size of the stack of task 'idle' is not a constant in the code"
    assert "no ELF" in judge_ram(chosen, ram).why


def test_a_component_has_its_bss(checked: Check, tmp_path: Path) -> None:
    (tmp_path / "app.map").write_text(MAP, encoding="utf-8", newline="\n")
    text = """
        [memory]
        idf = "5.5"
        [[run]]
        build = "app.map"
        [run.budget]
        bss."libmain.a" = "100B"
        bss."libnet.a" = "10KB"
        dram.left = "1KB"
        """
    result = rows(checked(text))
    row = result["bss:libmain.a"]
    assert (row.status, row.value, row.site) == ("broken", 0x190, "")
    assert row.cause == "The largest is s_cache with 400 B."
    assert result["bss:libnet.a"].status == "kept"
    assert result["dram:left"].status == "unknown"
    assert "no configuration" in result["dram:left"].sentence


def test_an_archive_in_flash_alone_has_no_bss(checked: Check, tmp_path: Path) -> None:
    members = "Archive member included to satisfy reference by file (symbol)\n\n"
    flash = (
        "esp-idf/json/libjson.a(cJSON.c.obj)\n        esp-idf/main/libmain.a(main.c.obj) (parse)\n"
    )
    assert members in MAP
    text = MAP.replace(members, members + flash)
    (tmp_path / "app.map").write_text(text, encoding="utf-8", newline="\n")
    budgets = """
        [memory]
        idf = "5.5"
        [[run]]
        build = "app.map"
        [run.budget]
        bss."libjson.a" = "1KB"
        bss."libjso.a" = "1KB"
        """
    result = rows(checked(budgets))
    assert (result["bss:libjson.a"].status, result["bss:libjson.a"].value) == ("kept", 0)
    assert result["bss:libjso.a"].status == "unknown"
    with pytest.raises(InputError, match="has nothing in RAM"):
        ram_of(tmp_path / "app.map", idf="5.5", why="libjson.a")


def test_a_build_leaves_what_ram_shows(checked: Check, tmp_path: Path) -> None:
    folder = tmp_path / "build"
    folder.mkdir()
    described = {"app_bin": "app.bin", "target": "esp32"}
    (folder / "project_description.json").write_text(json.dumps(described), encoding="utf-8")
    (folder / "app.bin").write_bytes(esp32(bluetooth=False))
    (folder / "sdkconfig").write_text(
        '# Espressif IoT Development Framework (ESP-IDF) 5.3.1\nCONFIG_IDF_TARGET="esp32"\n'
    )
    left = next(row for row in ram_of(folder).states if row.kind == "left")
    text = f"""
        [budget]
        dram.left = "1KB"
        dram.app_main = "{left.app_main}B"
        dram.boot = "900KB"
        [[run]]
        build = "build"
        """
    result = rows(checked(text))
    assert result["dram:app_main"].value == left.app_main
    statuses = [result[f"dram:{name}"].status for name in ("app_main", "boot", "left")]
    assert statuses == ["kept", "broken", "kept"]
    assert "80 % band" in result["dram:app_main"].sentence


def test_a_budget_of_a_build_needs_one(checked: Check, tmp_path: Path) -> None:
    (tmp_path / "sdkconfig").write_text('CONFIG_IDF_TARGET="esp32"\n', encoding="utf-8")
    with pytest.raises(InputError, match="no input that tells it") as error:
        checked('[[run]]\nconfig = "sdkconfig"\n[run.budget]\nstack.main = "512B free"\n')
    assert error.value.remedy == 'add one: build = "build"'
    with pytest.raises(InputError, match="does not say which"):
        checked('[[run]]\nbuild = "build"\n[run.budget]\nstack = "512B free"\n')
