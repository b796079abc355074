"""Changes that move or drop a thing of a firmware's RAM, and those of its own source."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.ram.ram_of import ram_of
from tests.lab.stacks.small_program import Program
from tests.lab.static.conftest import MAP, ROOT

from heapscope.answers.ram.built_firmware import BuiltFirmware
from heapscope.answers.ram.moved_code import MovedCode
from heapscope.answers.ram.ram_result import RamBack
from heapscope.answers.ram.stack_changes import stack_changes
from heapscope.answers.ram.tasks import task_rows
from heapscope.memory.static.use import Section, SectionPiece, StaticUse
from heapscope.memory.static.window import ChipWindows, Window

INDIRECT = bytes.fromhex("82 95".replace(" ", ""))  # c.jalr a1
SDK = "/sdk/components"
FREERTOS = """\
 .text.vTaskDelay
                0x0000000040080404      0x100 esp-idf/freertos/libfreertos.a(tasks.c.obj)
 .text.xTaskIncrementTick
                0x0000000040080504       0x80 esp-idf/freertos/libfreertos.a(tasks.c.obj)
 .iram1.7       0x0000000040080584       0xc0 esp-idf/main/libmain.a(main.c.obj)
                0x0000000040080584                _ZN6Sensor4readEv
"""
MORE_DATA = """\
 .data._ZL9s_lookups
                0x000000003ffb0400      0x200 esp-idf/main/libmain.a(main.c.obj)
"""


@pytest.fixture
def build(tmp_path: Path) -> Path:
    fill = " *fill*         0x0000000040080402        0x2\n"
    assert fill in MAP
    text = MAP.replace(fill, f"{fill}{FREERTOS}")
    code = ".iram0.text     0x0000000040080000      "
    text = text.replace(f"{code}0x404", f"{code}0x644")
    data = f".dram1.data     0x000000003ffb0400      0x200\n{MORE_DATA}\n.dram0.heap_start\n"
    text = text.replace(".dram0.heap_start\n", data, 1)
    (tmp_path / "app.map").write_text(text, encoding="utf-8", newline="\n")
    described = {
        "target": "esp32",
        "git_revision": "v5.3.1",
        "build_component_paths": [f"{SDK}/freertos", f"{SDK}/net", "C:\\work\\main"],
    }
    (tmp_path / "project_description.json").write_text(json.dumps(described), encoding="utf-8")
    return tmp_path


def configured(build: Path, lines: str = "") -> Path:
    text = f'CONFIG_IDF_TARGET="esp32"\n{lines}'
    (build / "sdkconfig").write_text(text, encoding="utf-8")
    return build


def moves(build: Path, name: str) -> dict[str, RamBack]:
    return {"\n".join(row.lines): row for row in ram_of(build, why=name).moves}


def test_an_option_moves_what_a_fragment_of_the_sdk_holds(build: Path) -> None:
    rows = moves(configured(build), "libfreertos.a")
    option = rows["CONFIG_FREERTOS_PLACE_FUNCTIONS_INTO_FLASH=y"]
    assert (option.bytes, option.low, option.memory) == (0x100, 0x100, "IRAM")
    assert rows[""].bytes == 0x80  # the tick's code stays, whatever the option says
    assert "no option, attribute or linker fragment" in rows[""].kind
    lines = "CONFIG_FREERTOS_PLACE_FUNCTIONS_INTO_FLASH=y\n"
    assert set(moves(configured(build, lines), "vTaskDelay")) == {""}


def test_an_option_moves_nothing_that_another_entry_holds(build: Path) -> None:
    path = build / "app.map"
    text = path.read_text(encoding="utf-8").replace("vTaskDelay", "vTaskGetSnapshot")
    path.write_text(text, encoding="utf-8")
    described = build / "project_description.json"
    described.write_text(described.read_text("utf-8").replace("5.3.1", "6.0.1"), encoding="utf-8")
    lines = "CONFIG_ESP_PANIC_HANDLER_IRAM=y\n"  # its entry, and that of FREERTOS_PLACE_ISR_...
    assert set(moves(configured(build, lines), "vTaskGetSnapshot")) == {""}


def test_an_option_is_named_without_a_configuration_too(build: Path) -> None:
    (row,) = moves(build, "vTaskDelay").values()
    assert row.lines == ("CONFIG_FREERTOS_PLACE_FUNCTIONS_INTO_FLASH=y",)
    assert row.low == 0  # it may be set already


def test_the_projects_own_source_is_named_by_its_attribute(build: Path) -> None:
    (code,) = moves(configured(build), "Sensor::read").values()
    assert code.lines == ("without IRAM_ATTR: Sensor::read",)
    assert (code.by, code.bytes) == ("attribute", 0xC0)
    (data,) = moves(build, "s_lookups").values()
    assert (data.lines, data.bytes, data.low) == (("const s_lookups",), 0x200, 0)
    assert moves(build, "table")[""].by == "nothing"  # the SDK's


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("CMakeFiles/app.dir/main.c.obj", True),
        ("CMakeFiles/app.dir/opt/pico-sdk/src/flash.c.obj", False),
        ("CMakeFiles/app.dir/pico-sdk/src/flash.c.obj", False),
        ("CMakeFiles/app.dir/C_/pico/src/flash.c.obj", False),
        (".pio/build/uno/src/main.cpp.o", True),
        (".pio/build/uno/lib1/libWire.a(Wire.cpp.o)", False),
        ("zephyr/kernel/libkernel.a(sched.c.obj)", False),
        ("C:\\work\\build\\sketch\\a.ino.cpp.o", True),
    ],
)
def test_other_builds_have_their_own_code_by_its_folder(path: str, own: bool) -> None:
    firmware = board(path)
    assert [row.what for row in MovedCode(firmware, None).own()] == (["t"] if own else [])


def board(path: str, pieces: int = 1) -> BuiltFirmware:
    windows = ChipWindows(
        chip="board", machine="", windows=(Window(kind="RAM", start=0, size=4096),), kept=()
    )
    use = StaticUse(
        file="app.map",
        form="linker map",
        sections=(Section(name=".data", kind="RAM", role="data", size=512, start=0),),
        pieces=tuple(
            SectionPiece(section=0, size=512, component="x", symbol="t", input=".data.t", path=path)
            for _ in range(pieces)
        ),
    )
    return BuiltFirmware(
        what="", chip="board", title="", windows=windows, use=use, idf="", regions=()
    )


def test_a_byte_that_two_options_move_counts_for_the_one_that_moves_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    firmware = board("main.c.obj", pieces=2)
    option = RamBack(
        bytes=512, low=512, high=512, memory="RAM", what="x", by="option", kind="", loses="",
        lines=("CONFIG_A_IN_IRAM=n",), source="",
    )  # fmt: skip
    both = replace(option, lines=("CONFIG_B_IN_IRAM=n",))
    answers = [(option, both), (both,)]
    monkeypatch.setattr(MovedCode, "of", lambda *_: answers.pop(0))
    rows = [(row.lines, row.bytes) for row in MovedCode(firmware, None).by_options({"RAM": "RAM"})]
    assert rows == [(("CONFIG_B_IN_IRAM=n",), 1024)]


def test_an_elf_alone_does_not_say_that_nothing_moves_it() -> None:
    elf = ROOT / "studies" / "workloads" / "static" / "firmware.elf"
    (row,) = ram_of(elf, chip="esp32", idf="5.5", why="g_lwip_pool").moves
    assert (row.by, row.bytes) == ("nothing", 9216)
    assert row.kind.startswith("only the linker map")


def test_zeroed_data_goes_to_psram_where_it_is_on(build: Path) -> None:
    lines = "CONFIG_SPIRAM=y\n"
    (row,) = moves(configured(build, lines), "s_cache").values()
    assert row.lines == (
        "EXT_RAM_BSS_ATTR s_cache",
        "CONFIG_SPIRAM_ALLOW_BSS_SEG_EXTERNAL_MEMORY=y",
    )
    assert moves(configured(build), "s_cache")[""].by == "nothing"


def test_own_data_and_code_are_in_what_can_be_had_back(build: Path) -> None:
    back = ram_of(configured(build)).back
    rows = {row.what: row for row in back if row.by == "attribute"}
    assert {name: row.memory for name, row in rows.items()} == {
        "s_lookups": "DRAM",
        "Sensor::read": "IRAM",
    }
    assert list(back) == sorted(back, key=lambda row: -row.bytes)


@pytest.fixture
def stacks(tmp_path: Path) -> Callable[..., list[RamBack]]:
    """One task with 3,072 bytes takes 96; `hole`: it calls code that is not there."""

    def changes(*, hole: bool, left: int | None = None) -> list[RamBack]:
        program = Program()
        more = INDIRECT if hole else b""
        entry = program.function("reader", 96, more=more)
        creator = program.function("xTaskCreatePinnedToCore", 16)
        program.create(creator, entry, program.elf.constant("name", b"reader\0"), 3072)
        reported = {} if left is None else {"reader": left}
        rows, _ = task_rows(Path(program.write(tmp_path)), left=reported)
        return list(stack_changes(rows, None, "DRAM"))

    return changes


def test_a_bounded_stack_gives_back_what_it_never_uses(
    stacks: Callable[..., list[RamBack]],
) -> None:
    (row,) = stacks(hole=False)
    assert (row.what, row.bytes, row.low, row.by) == ("reader", 2976, 2976, "stack")
    assert row.lines[0].startswith("96 bytes of stack, where ")


def test_a_mark_alone_has_no_sure_bytes(stacks: Callable[..., list[RamBack]]) -> None:
    assert stacks(hole=True) == []
    (row,) = stacks(hole=True, left=2000)
    assert (row.bytes, row.low) == (2000, 0)
    assert "1 calls of it are not known" in row.loses
