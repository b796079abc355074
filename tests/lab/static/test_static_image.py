"""The heap's regions and static use out of images of ESP-IDF."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.static.images import Constants, Range, resealed, sealed
from typer.testing import CliRunner, Result

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.cli.app import app
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.static.heap_start import heap_start
from heapscope.memory.static.read import read_image, read_static

MakeTrace = Callable[..., Path]

CACHES = [(0x40078000, 0x40080000), (0x40070000, 0x40078000)]
ROM = [(0x3FFAE000, 0x3FFAE6E0), (0x3FFE3F20, 0x3FFE4350), (0x3FFE0000, 0x3FFE0440)]
BLUETOOTH = [
    (0x3FFAE6E0, 0x3FFAFF10),
    (0x3FFBDB28, 0x3FFBDB5C),
    (0x3FFB8000, 0x3FFB9A20),
    (0x3FFB0000, 0x3FFB6388),
]


def esp32(
    *,
    code: int = 0x17710,
    data: int = 0x40E4,
    bss: int = 0x6904,
    seed: int = 1,
    step: int = 5,
    apart: bool = False,
    bluetooth: bool = True,
    idf: str = "v5.3.1",
    text: bytes = b"",
) -> bytes:
    start = 0x3FFBDB60 if bluetooth else 0x3FFB0000
    linked = [(0x40080000, 0x40080000 + code), (start, start + data + bss)]
    fixed = [*ROM, *CACHES, *(BLUETOOTH if bluetooth else ())]
    rows = [(0x3FFAE000, 0x2000, 0, 0, 0), (0x3FFB0000, 0x30000, 0, 0, 0)]
    rows += [(0x3FFE0000, 0x4000, 1, 0x400BC000, 0), (0x3FFE4000, 0x1C000, 1, 0x400A0000, 1)]
    rows += [(0x40070000 + n * 0x8000, 0x8000, 2, 0, 0) for n in range(6)]
    constants = Constants(
        base=0x3F400020,
        kinds=("DRAM", "D/IRAM", "IRAM"),
        rows=rows,
        taken=linked if apart else [*linked, *fixed],
        apart=fixed if apart else (),
        step=step,
    )
    segments = [
        (0x3F400020, constants.bytes(seed)),
        (start, bytes(data)),
        (0x400D0020, text.ljust(64, b"\0")),
        (0x40080000, random.Random(seed).randbytes(code)),
    ]
    return sealed("esp32", segments, entry=0x40081000, idf=idf)


def esp32c3(
    *,
    code: int,
    data: int,
    bss: int,
    seed: int,
    step: int,
    hashed: bool = True,
    other: tuple[Range, ...] = (),
) -> bytes:
    start = 0x3FC80000 + code + 0x1FF & ~0x1FF
    names = ("RAM", "Retention RAM", "RTCRAM") if step == 5 else ("DRAM", "STACK/DRAM", "RTCRAM")
    rows = [(0x3FC80000, 0x20000, 0, 0x40380000, 0), (0x3FCA0000, 0x20000, 0, 0x403A0000, 0)]
    rows += [(0x3FCC0000, 0x1C710, 0, 0x403C0000, 0), (0x3FCDC710, 0x38F0, 1, 0x403DC710, 1)]
    constants = Constants(
        base=0x3C020020,
        kinds=names,
        rows=[*rows, (0x50000000, 0x2000, 2, 0, 0)],
        taken=[
            (0x50001FE8, 0x50002000),
            (0x50000000, 0x50000010),
            (0x3FC80000, start),
            (start, start + data + bss),
        ],
        apart=other,
        step=step,
    )
    segments = [
        (0x3C020020, constants.bytes(seed)),
        (start, bytes(data)),
        (0x40380000, bytes(code)),
        (0x50000000, bytes(16)),
    ]
    idf = "v5.3.1" if step == 5 else "v4.4"
    return sealed("esp32c3", segments, entry=0x40380254, idf=idf, hashed=hashed)


def read(path: Path, content: bytes) -> list[tuple[int, int, str]]:
    path.write_bytes(content)
    return [(one.start, one.size, one.kind) for one in read_image(path).regions]


@pytest.mark.parametrize("step", [4, 5])
def test_a_shared_memory_begins_behind_drawn_code_and_data(
    tmp_path: Path, seed: int, step: int
) -> None:
    chance = random.Random(seed)
    for number in range(12):
        code, data, bss = (chance.randrange(0x400, most, 4) for most in (0x18000, 0x8000, 0x9000))
        heap = (0x3FC80000 + code + 0x1FF & ~0x1FF) + data + bss
        content = esp32c3(code=code, data=data, bss=bss, seed=seed + number, step=step)
        ram, stack = ("RAM", "Retention RAM") if step == 5 else ("DRAM", "STACK/DRAM")
        assert read(tmp_path / "app.bin", content) == [
            (heap, 0x3FCDC710 - heap, ram),
            (0x3FCDC710, 0x3FCDF060 - 0x3FCDC710, stack),
            (0x50000010, 0x1FD8, "RTCRAM"),
        ]
        image = read_image(tmp_path / "app.bin")
        assert (image.chip, image.idf) == ("esp32c3", "v5.3.1" if step == 5 else "v4.4")
        start = heap_start(image.use, load_chip("esp32c3").data)
        assert start.dram == heap
        roles = {role: image.use.bytes_of("D/IRAM", role=role) for role in ("data", "bss")}
        assert roles == {"data": data, "bss": bss}


@pytest.mark.parametrize("bluetooth", [False, True])
@pytest.mark.parametrize("apart", [False, True])
def test_an_esp32_has_the_memory_between_what_the_controller_keeps(
    tmp_path: Path, seed: int, apart: bool, bluetooth: bool
) -> None:
    """`apart`: as before ESP-IDF 4.2."""
    code = random.Random(seed).randrange(0x2000, 0x1F000, 4)
    content = esp32(code=code, seed=seed, apart=apart, bluetooth=bluetooth)
    between = [(0x3FFAFF10, 240), (0x3FFB6388, 7288), (0x3FFB9A20, 16648)]
    start = (0x3FFBDB60 if bluetooth else 0x3FFB0000) + 0x40E4 + 0x6904
    dram = [*(between if bluetooth else [(0x3FFAE6E0, 6432)]), (start, 0x3FFE0000 - start)]
    assert read(tmp_path / "app.bin", content) == [
        *((at, size, "DRAM") for at, size in dram),
        (0x3FFE0440, 15072, "D/IRAM"),
        (0x3FFE4350, 113840, "D/IRAM"),
        (0x40080000 + code, 0x20000 - code, "IRAM"),
    ]


@pytest.mark.parametrize(("stacks", "rom"), [(0x4FF3AFC0, 0x4FF3FBB0), (0x4FFBAFC0, 0x4FFBFBB0)])
def test_the_rom_of_a_later_esp32_p4_lies_higher(tmp_path: Path, stacks: int, rom: int) -> None:
    rows = [(0x4FF00000, stacks - 0x4FF00000, 0, 0x4FF00000, 0)]
    rows += [(stacks, 0x5040, 0, stacks, 1), (0x50108000, 0x8000, 1, 0, 0)]
    constants = Constants(
        base=0x48070020,
        kinds=("RAM", "RTCRAM"),
        rows=rows,
        taken=[(0x4FF00000, 0x4FF10000), (0x4FF10000, 0x4FF12000), (0x50108000, 0x50108080)],
    )
    segments = [(0x48070020, constants.bytes(3)), (0x4FF00000, bytes(0x10400))]
    content = sealed("esp32p4", segments, entry=0x4FF0040E)
    assert read(tmp_path / "app.bin", content) == [
        (0x4FF12000, stacks - 0x4FF12000, "RAM"),
        (stacks, rom - stacks, "RAM"),
        (0x50108080, 0x7F80, "RTCRAM"),
    ]


def attempted(path: Path, content: bytes) -> list[tuple[int, int, str]] | None:
    """None: refused."""
    try:
        return read(path, content)
    except InputError:
        return None


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_image(path)
    assert caught.value.remedy
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_tables_that_differ_or_are_missing_are_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "app.bin"
    other = ((0x3FC80000, 0x3FC80600), (0x3FC80600, 0x3FC90000))
    content = esp32c3(code=0x500, data=64, bss=64, seed=5, step=5, other=other)
    assert "2 tables of the memory" in refused(path, content)
    assert "does not tell its heap: no" in refused(path, esp32(data=0x8000, bss=-0x4000))
    segments = [(0x3F400020, bytes(64)), (0x3FFB0000, bytes(64)), (0x40080000, bytes(64))]
    assert "no tables" in refused(path, sealed("esp32", segments, entry=0x40080000))
    assert "nothing of it is loaded" in refused(
        path, sealed("esp32", segments[:1], entry=0x40080000)
    )


def test_damage_is_named(tmp_path: Path, seed: int) -> None:
    path, content = tmp_path / "app.bin", esp32c3(code=900, data=64, bss=64, seed=5, step=5)
    expected, chance = read(path, content), random.Random(seed)
    for _ in range(60):
        cut = chance.randrange(300, len(content) - 32)
        assert "damaged image" in refused(path, content[:cut])
        place, bit = chance.randrange(1, len(content)), 1 << chance.randrange(8)
        flipped = bytearray(content)
        flipped[place] ^= bit
        if place == 23 and bit != 1:
            continue  # its lowest bit says whether a hash follows
        assert attempted(path, bytes(flipped)) in (None, expected)


@pytest.mark.parametrize(
    ("at", "packed", "stated"),
    [
        (1, b"\x00", "header"),
        (1, b"\x11", "header"),
        (1, b"\x10", "cut off before segment"),
        (12, b"\x63\x00", "header"),
        (24, b"\xff\xff\xff\xff", "segment 1 is"),
        (28, b"\xff\xff\xff\xff", "segment 1 is"),
        (28, b"\xf0\xff\xff\x7f", "segment 1 is"),
    ],
)
def test_hostile_counts_are_refused(tmp_path: Path, at: int, packed: bytes, stated: str) -> None:
    content = bytearray(esp32c3(code=900, data=64, bss=64, seed=5, step=5, hashed=False))
    content[at : at + len(packed)] = packed
    assert stated in refused(tmp_path / "app.bin", bytes(content))


def test_sound_images_of_nonsense_never_end_otherwise(tmp_path: Path, seed: int) -> None:
    """The checksum is right, the tables are not."""
    chance, path = random.Random(seed), tmp_path / "app.bin"
    content = esp32(code=0x800, seed=seed)
    (size,) = struct.unpack_from("<I", content, 28)
    for _ in range(40):
        first = bytearray(content[32 : 32 + size])
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(256, size, 4)
            struct.pack_into("<I", first, at, chance.choice((0, 1 << 31, 0x3FFB0000, 0x40080004)))
        body, parts, at = bytearray(content[:24]), [], 24
        for number in range(content[1]):
            (length,) = struct.unpack_from("<I", content, at + 4)
            parts.append(bytes(first) if number == 0 else content[at + 8 : at + 8 + length])
            body += content[at : at + 8] + parts[-1]
            at += 8 + length
        regions = attempted(path, resealed(bytes(body), parts, hashed=True))
        assert all(size > 16 for _, size, _ in regions or [])


# ---- on the command line ----


def run(*args: object) -> Result:
    return CliRunner().invoke(app, [str(arg) for arg in args], env={"COLUMNS": "100"})


@pytest.fixture
def hst(make_trace: MakeTrace) -> Path:
    return make_trace("t net", "a 1 1000", "a 2 20000", "f 2")


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """With Wi-Fi linked, and the memory of a Bluetooth controller kept."""
    path = tmp_path / "app.bin"
    path.write_bytes(esp32(text=b"tcpip_thread\0wifi driver task"))
    return path


def test_a_replay_is_on_the_regions_of_the_image(hst: Path, image: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.json"
    done = run("replay", hst, "--bin", image, "--json", out)
    assert done.exit_code == 0, done.stderr
    document = json.loads(out.read_text())
    regions = {(row["start"], row["size"], row["kind"]) for row in document["regions"]}
    assert regions == {(one.start, one.size, one.kind) for one in read_image(image).regions}
    assert (document["layout"]["chip"], document["layout"]["sdk"]) == ("esp32", "5.3.1")
    assert document["static"]["form"] == "image"
    assert sum(row["startup"] for row in document["regions"])  # as with an ELF


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--static-dram", "100"), "--bin and --static-dram both say"),
        (("--elf", "x.elf"), "--elf and --bin both say what is static"),
        (("--cores", "1"), "--cores and --bin both say"),
        (("--rtc", "off"), "--rtc and --bin both say"),
        (("--chip", "esp32c3"), "an image of esp32, not of esp32c3"),
    ],
)
def test_options_that_say_otherwise_are_refused(
    hst: Path, image: Path, options: tuple[str, ...], text: str
) -> None:
    done = run("replay", hst, "--bin", image, *options)
    assert done.exit_code == 2
    assert text in done.stderr


def test_predict_leaves_just_what_the_image_does(image: Path, tmp_path: Path) -> None:
    config = tmp_path / "sdkconfig"
    config.write_text('CONFIG_IDF_TARGET="esp32"\nCONFIG_FREERTOS_UNICORE=y\n')
    regions = read_image(image).regions
    boot = hs.predict(config, idf="5.3.1", bin=image).states["boot"]
    dram = sum(one.size for one in regions if one.kind != "IRAM")
    assert boot.dram.median == boot.dram.low_80 == boot.dram.high_80 == dram
    assert boot.iram.median == sum(one.size for one in regions if one.kind == "IRAM")
    config.write_text('CONFIG_IDF_TARGET="esp32s3"\n')
    with pytest.raises(InputError, match="the configuration is of esp32s3"):
        hs.predict(config, idf="5.3.1", bin=image)


@pytest.mark.parametrize("load", ["none", "wifi"])
def test_a_load_is_held_in_the_regions_of_the_image(
    hst: Path, image: Path, tmp_path: Path, load: str
) -> None:
    """The default layout of the chip is not in it, and what is left is what predict says."""
    config, out = tmp_path / "sdkconfig", tmp_path / "r.json"
    config.write_text('CONFIG_IDF_TARGET="esp32"\n')
    options = ("--sdkconfig", config, "--idf", "5.3.1", "--bin", image)
    done = run("replay", hst, *options, "--load", load, "--json", out)
    assert done.exit_code == 0, done.stderr
    document = json.loads(out.read_text())
    regions = {(row["start"], row["size"], row["kind"]) for row in document["regions"]}
    assert regions == {(one.start, one.size, one.kind) for one in read_image(image).regions}
    left = sum(row["reported_free"] for row in document["regions"] if row["kind"] != "IRAM")
    state = {"none": "app_main", "wifi": "load"}[load]
    stated = hs.predict(config, idf="5.3.1", bin=image).states[state].dram.median
    kept = 1_004  # the block of the trace that stays
    assert abs(stated - left - kept) <= 16


def test_a_trace_fits_in_the_regions_of_the_image(hst: Path, image: Path, tmp_path: Path) -> None:
    config = tmp_path / "sdkconfig"
    config.write_text('CONFIG_IDF_TARGET="esp32"\n')
    result = hs.predict(config, idf="5.3.1", bin=image, trace=hst)
    assert result.trace_fit is not None
    assert result.trace_fit.met
    assert result.replay is not None
    regions = [(one.start, one.size) for one in read_image(image).regions]
    assert [(row.start, row.size) for row in result.replay.regions] == regions


@pytest.mark.parametrize(
    ("lines", "idf", "stated"),
    [
        ("", "5.3.1", ()),
        ("", "5.5", ("built with ESP-IDF v5.3.1",)),
    ],
)
def test_an_image_of_another_build_is_reported(
    hst: Path, image: Path, tmp_path: Path, lines: str, idf: str, stated: tuple[str, ...]
) -> None:
    config = tmp_path / "sdkconfig"
    config.write_text(f'CONFIG_IDF_TARGET="esp32"\n{lines}')
    for done in (
        run("predict", config, "--idf", idf, "--bin", image),
        run("replay", hst, "--sdkconfig", config, "--idf", idf, "--bin", image, "--load", "wifi"),
        run("compare", config, "+CONFIG_LWIP_IRAM_OPTIMIZATION=y", "--idf", idf, "--bin", image),
    ):
        assert done.exit_code == 0, done.stderr
        text = " ".join(done.stdout.split())
        assert ("is of another build than the configuration" in text) == bool(stated)
        assert all(each in text for each in stated)


BLUEDROID = (
    "BT_ENABLED=y BT_CONTROLLER_ENABLED=y BT_BLUEDROID_ENABLED=y BTDM_CTRL_MODE_BR_EDR_ONLY=y"
)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        (b"BTDM_INIT", {"ble"}),
        (b"tcpip_thread\0wifi driver task", {"wifi_started", "connected"}),
        (b"tcpip_thread", {"connected"}),
        (b"", set()),
    ],
)
def test_an_image_tells_which_radios_it_has(tmp_path: Path, text: bytes, states: set[str]) -> None:
    """Options that are on count where their libraries are linked. A real image of this size with
    classic Bluetooth (5.3.1) is explained but for its program's own."""
    config, image = tmp_path / "sdkconfig", tmp_path / "app.bin"
    lines = "".join(f"CONFIG_{line}\n" for line in BLUEDROID.split())
    config.write_text(f'CONFIG_IDF_TARGET="esp32"\n{lines}')
    image.write_bytes(esp32(text=text))
    result = hs.predict(config, idf="5.3.1", bin=image)
    assert result.states.keys() == {"boot", "app_main", "load", *states}
    if "ble" in states:
        (more,) = [part.bytes for part in result.parts if part.component == "not explained"]
        assert abs(more) < 8192


def test_the_front_door_says_what_the_image_leaves(image: Path) -> None:
    done = run(image)
    assert done.exit_code == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "the image of the firmware blinky, of esp32, ESP-IDF v5.3.1" in said
    dram = sum(one.size for one in read_image(image).regions if one.kind != "IRAM")
    assert f"gives {dram:,} B to the heap" in said
    assert f"heapscope replay T.hst --bin {image}" in said
    assert f"heapscope predict sdkconfig --bin {image}" in said


def test_an_image_is_no_elf(image: Path) -> None:
    with pytest.raises(InputError, match="neither an ELF") as caught:
        read_static(image, "esp32")
    assert "--bin" in str(caught.value.remedy)
