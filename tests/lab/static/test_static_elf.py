"""Static use out of ELFs."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heapscope.base.errors import HeapscopeError, InputError
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.static.heap_start import heap_start
from heapscope.memory.static.read import read_static

SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_the_checked_in_firmware(firmware: Path) -> None:
    use = read_static(firmware, "esp32")
    sizes = {p.symbol: p.size for p in use.pieces}
    assert sizes["g_wifi_rx_buffers"] == 20480
    assert sizes["g_phy_calibration"] == 476 * 4
    assert sizes["sdk_in_iram"] > 76800
    assert {s.name: (s.kind, s.role) for s in use.sections} == {
        ".rtc.data": ("RTC", "data"),
        ".iram0.text": ("IRAM", "code"),
        ".dram0.data": ("DRAM", "data"),
        ".dram0.bss": ("DRAM", "bss"),
    }
    for index, section in enumerate(use.sections):
        assert sum(p.size for p in use.pieces if p.section == index) == section.size


def test_on_an_esp32_both_heaps_start_behind_the_firmware(firmware: Path) -> None:
    use = read_static(firmware, "esp32")
    start = heap_start(use, load_chip("esp32").data)
    layout = load_chip("esp32").layout(
        idf="4.2", static_dram=start.static_dram, static_iram=start.static_iram
    )
    starts = {region.start for region in layout.regions}
    assert {use.symbols["_heap_start"], use.symbols["_iram_end"]} <= starts


def test_where_memory_is_shared_the_heap_starts_behind_code_and_data(
    link: Callable[[str], Path],
) -> None:
    from heapscope.memory.layout.layout import Region

    shared = (Path(__file__).parent / "shared.ld").read_text(encoding="ascii")
    use = read_static(link(shared), "esp32c3")
    chip = load_chip("esp32c3")
    assert {s.name: s.kind for s in use.sections} == {
        ".rtc.data": "RTC",
        ".iram0.text": "D/IRAM",
        ".dram0.data": "D/IRAM",
        ".dram0.bss": "D/IRAM",
    }
    code, data, bss = (use.bytes_of("D/IRAM", role=role) for role in ("code", "data", "bss"))
    assert (code, data) == (512, 40)
    assert bss >= 1000
    start = heap_start(use, chip.data)
    assert start.static_iram == 512
    assert 0x3FC80000 + start.static_iram + start.static_dram == use.symbols["_heap_start"]
    layout = chip.layout(
        idf="5.5",
        static_dram=start.static_dram,
        static_iram=start.static_iram,
        taken=start.taken,
    )

    def first(low: int) -> Region:
        return min((r for r in layout.regions if r.start >= low), key=lambda r: r.start)

    assert first(0x3FC80000).start == use.symbols["_heap_start"]
    assert first(0x50000000).start == 0x50000008


def test_a_stripped_elf_still_tells_its_sections(firmware: Path, tmp_path: Path) -> None:
    raw = bytearray(firmware.read_bytes())
    table, size, count = struct.unpack_from("<I", raw, 32)[0], 40, struct.unpack_from("<H", raw, 48)
    for number in range(count[0]):
        place = table + size * number + 4
        if struct.unpack_from("<I", raw, place)[0] == 2:
            struct.pack_into("<I", raw, place, 1)
    path = tmp_path / "stripped.elf"
    path.write_bytes(raw)
    use = read_static(path, "esp32")
    assert "stripped" in use.notes[0]
    assert use.bytes_of("DRAM") == 36736
    assert heap_start(use, load_chip("esp32").data).static_dram == 36736


@pytest.mark.parametrize(
    ("machine", "bits", "name"), [(62, 2, "x86-64 .64-bit"), (243, 1, "RISC-V"), (40, 1, "ARM")]
)
def test_the_wrong_machine_is_named(
    firmware: Path, tmp_path: Path, machine: int, bits: int, name: str
) -> None:
    raw = bytearray(firmware.read_bytes())
    raw[4] = bits
    struct.pack_into("<H", raw, 18, machine)
    path = tmp_path / "other.elf"
    path.write_bytes(raw)
    with pytest.raises(InputError, match=f"an ELF for {name}.*not for esp32, which is Xtensa"):
        read_static(path, "esp32")


def test_code_of_an_s3_is_split_where_its_memory_changes(firmware: Path, tmp_path: Path) -> None:
    raw = bytearray(firmware.read_bytes())
    use, shift = read_static(firmware, "esp32"), 0x40374000 - 0x40080000
    code = next(s for s in use.sections if s.name == ".iram0.text")
    assert code.start is not None
    table, count = struct.unpack_from("<I", raw, 32)[0], struct.unpack_from("<H", raw, 48)[0]
    for number in range(count):
        header = table + 40 * number
        kind, _, start, offset, size = struct.unpack_from("<IIIII", raw, header + 4)
        if start == code.start:
            struct.pack_into("<I", raw, header + 12, start + shift)
        if kind == 2:  # the symbol table
            for place in range(offset, offset + size, 16):
                value = struct.unpack_from("<I", raw, place + 4)[0]
                if code.start <= value < code.start + code.size:
                    struct.pack_into("<I", raw, place + 4, value + shift)
    path = tmp_path / "s3.elf"
    path.write_bytes(raw)
    moved = read_static(path, "esp32s3")
    parts = [(i, s) for i, s in enumerate(moved.sections) if s.name == ".iram0.text"]
    assert [(s.kind, s.start, s.size) for _, s in parts] == [
        ("IRAM", 0x40374000, 0x4000),
        ("D/IRAM", 0x3FC88000, code.size - 0x4000),
    ]
    names = [{p.symbol: p.size for p in moved.pieces if p.section == i} for i, _ in parts]
    assert [sum(sizes.values()) for sizes in names] == [0x4000, code.size - 0x4000]
    whole = next(p.size for p in use.pieces if p.symbol == "sdk_in_iram")
    assert sum(sizes.get("sdk_in_iram", 0) for sizes in names) == whole


def test_firmware_elsewhere_in_memory_is_refused(firmware: Path) -> None:
    """The S3 is an Xtensa too, but has its RAM at other addresses; the ESP32's RTC is there too."""
    use = read_static(firmware, "esp32s3")
    assert {s.kind for s in use.sections} <= {"RTC", "IRAM"}


@SLOW
@given(data=st.data())
def test_damaged_elfs_are_read_or_refused(
    firmware: Path, tmp_path: Path, data: st.DataObject
) -> None:
    raw = bytearray(firmware.read_bytes())
    for _ in range(data.draw(st.integers(0, 6))):
        headers = st.one_of(st.integers(0, 51), st.integers(len(raw) - 400, len(raw) - 1))
        place = data.draw(st.one_of(headers, st.integers(0, len(raw) - 1)))
        raw[place] = data.draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF]))
    path = tmp_path / "damaged.elf"
    path.write_bytes(raw[: data.draw(st.one_of(st.just(len(raw)), st.integers(0, len(raw))))])
    began, refused = time.process_time(), None
    try:
        use = read_static(path, "esp32")
        heap_start(use, load_chip("esp32").data)
    except HeapscopeError as caught:
        refused = caught
    if refused is not None:
        assert str(path) in refused.message
        assert refused.remedy
    assert time.process_time() - began < 10
