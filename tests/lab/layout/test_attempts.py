"""Which heaps a request tries, in which order: the documented table, and what a replay does."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from heapscope.base import capabilities
from heapscope.capture.line_forms import import_text
from heapscope.memory.layout.attempts import attempts, malloc_attempts, tried
from heapscope.memory.layout.build import Psram
from heapscope.memory.layout.chips import chip_names, load_chip
from heapscope.memory.layout.layout import Layout, MallocRule, Region
from heapscope.memory.layout.versions import chip_version
from heapscope.simulation.replay.run import replay

HERE = Path(__file__).parent
Order = list[tuple[int, str]]  # priority and kind

#: Types that no region of the map has, in any build
#: or with memory protected.
WITHOUT_REGION = {
    ("4.2", "esp32s2", "IRAM"),
    ("4.3.2", "esp32s2", "IRAM"),
    ("4.3.2", "esp32c3", "IRAM"),
    ("head-2026-07", "esp32s3", "IRAM"),
}


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def documented(row: dict[str, str]) -> Order:
    """ "p0:DRAM > p1:IRAM" with repeated types once."""
    parts = (part.strip() for part in row["attempts"].split(">") if part)
    order = [(int(part[1]), part[3:]) for part in parts]
    return list(dict.fromkeys(order))


def kinds(order: Order, priority: int) -> list[str]:
    return [kind for at, kind in order if at == priority]


def matches(layout: Layout, request: str) -> Order:
    tries = attempts(layout, capabilities.parse(request))
    return list(dict.fromkeys((a.priority, a.region.kind) for a in tries))


def layouts(row: dict[str, str]) -> Iterator[Layout]:
    """With everything that a build can have, memory protected and not, IRAM at the end of code."""
    chip = load_chip(row["chip"])
    version, _ = chip_version(chip.data, row["sdk"])
    one = any(entry.cores == 1 for entry in version.map)
    for protection in (None, False) if version.protection is not None else (None,):
        layout = chip.layout(
            idf=version.name,
            cores=1 if one else None,
            static_iram=4096,  # so that the ESP32-S3 has IRAM left
            psram=Psram(size=1 << 20, threshold=None) if version.psram else None,
            rtc=None if version.rtc is None else True,
            protection=protection,
            iram_8bit=row["chip"] == "esp32",
        )
        yield layout


ROWS = rows("attempts.csv")


def name_of(row: dict[str, str]) -> str:
    return f"{row['chip']} {row['sdk']} {row['request']}"


def test_every_documented_row_is_here() -> None:
    assert len(ROWS) == 496
    assert {row["chip"] for row in ROWS} == set(chip_names())


@pytest.mark.cells(60)
@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_layouts_try_the_documented_types_at_the_documented_priorities(row: dict[str, str]) -> None:
    """The table has every type with memory protected; types that a build does not have are passed
    over. Inside one priority it has no order of regions: PSRAM comes first, then addresses ascend
    in v4.x, sizes from v5.5 on."""
    seen: set[str] = set()
    expected = documented(row)
    for layout in layouts(row):
        seen.update(layout.kinds)
        if unprotected(layout):
            continue  # the table does not tell; see the tests of memory protection
        tries = attempts(layout, capabilities.parse(row["request"]))
        assert [a.priority for a in tries] == sorted(a.priority for a in tries)
        for priority in range(3):
            here = [a.region for a in tries if a.priority == priority]
            there = [kind for kind in kinds(expected, priority) if kind in layout.kinds]
            assert {region.kind for region in here} == set(there)
            assert here == sorted(here, key=order_of(row["sdk"]))
    for _, kind in expected:
        assert kind in seen or (row["sdk"], row["chip"], kind) in WITHOUT_REGION


def order_of(sdk: str) -> Callable[[Region], tuple[bool, int]]:
    by_address = sdk.startswith("4.")
    return lambda region: (region.kind != "SPIRAM", region.start if by_address else region.size)


ESP32_V4 = [row for row in ROWS if row["chip"] == "esp32" and row["sdk"].startswith("4.")]


@pytest.mark.parametrize("row", ESP32_V4, ids=name_of)
def test_on_the_esp32_v4_has_the_very_order_of_the_table(row: dict[str, str]) -> None:
    (layout,) = layouts(row)
    assert matches(layout, row["request"]) == documented(row)


def unprotected(layout: Layout) -> bool:
    """From v5 on the types themselves change then."""
    executable = capabilities.EXEC
    return not layout.sdk.startswith("4.") and any(
        region.all_caps & executable and region.kind in ("RAM", "RTCRAM", "RETENT_RAM", "IRAM")
        for region in layout.regions
        if layout.chip != "esp32"
    )


@pytest.mark.cells(60)
@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_one_region_a_type_is_tried_in_the_documented_order(row: dict[str, str]) -> None:
    """The rule alone, on a list of all types: also of those without a region."""
    matched_order = [
        (a.priority, a.region.kind)
        for a in tried(one_region_a_type(row), capabilities.parse(row["request"]))
    ]
    for priority in range(3):
        without = {kind for *of, kind in WITHOUT_REGION if of == [row["sdk"], row["chip"]]}
        here, there = kinds(matched_order, priority), kinds(documented(row), priority)
        assert sorted({*here} - without) == sorted({*there} - without)


def one_region_a_type(row: dict[str, str]) -> tuple[Region, ...]:
    version, _ = chip_version(load_chip(row["chip"]).data, row["sdk"])
    return tuple(
        Region(start=i << 20, size=4096, kind=kind, caps=caps, allocator="idf-5.5")
        for i, (kind, caps) in enumerate(version.kinds.items())
    )


@pytest.mark.parametrize("request_", ["EXEC|8BIT", "EXEC|DMA"])
def test_executable_memory_with_bytes_or_dma_tries_nothing(request_: str) -> None:
    assert attempts(load_chip("esp32").layout(idf="4.2"), capabilities.parse(request_)) == ()


def test_malloc_tries_psram_above_the_threshold_and_falls_back() -> None:
    layout = load_chip("esp32").layout(idf="5.5", psram=Psram(size=1 << 20))
    small = [a.region.kind for a in malloc_attempts(layout, 16384)]
    large = [a.region.kind for a in malloc_attempts(layout, 16385)]
    fallback = ["SPIRAM", "DRAM", "DRAM", "D/IRAM", "D/IRAM"]
    assert large == ["SPIRAM", *fallback]
    assert small[-5:] == fallback
    assert "SPIRAM" not in small[:-5]


#: Chip, version, request, and options of a build worth filling.
SAMPLE = [
    ("esp32", "4.2", "DEFAULT|INTERNAL", {}),
    ("esp32", "4.3.2", "8BIT", {"psram": True}),
    ("esp32", "5.5", "DEFAULT|INTERNAL", {}),
    ("esp32", "5.5", "INTERNAL", {"cores": 1, "rtc": True}),
    ("esp32", "5.5", "DMA|INTERNAL", {"psram": True}),
    ("esp32", "5.5", "EXEC", {"cores": 1, "rtc": True}),
    ("esp32", "head-2026-07", "DEFAULT|INTERNAL", {"psram": True}),
    ("esp32s2", "4.2", "INTERNAL|8BIT", {"rtc": True}),
    ("esp32s2", "5.5", "DEFAULT", {"psram": True}),
    ("esp32s3", "4.3.2", "32BIT", {"static_iram": 4096}),
    ("esp32s3", "5.5", "SIMD", {"psram": True}),
    ("esp32s3", "5.5", "DMA", {"psram": True}),
    ("esp32c3", "4.3.2", "DEFAULT|INTERNAL", {"rtc": True}),
    ("esp32c3", "5.5", "DEFAULT", {}),
    ("esp32c6", "5.5", "8BIT", {"protection": False}),
    ("esp32p4", "5.5", "INTERNAL", {"psram": True}),
    ("esp32p4", "head-2026-07", "DEFAULT", {}),
]


@pytest.mark.parametrize(("chip", "idf", "request_", "options"), SAMPLE)
def test_a_replay_fills_region_after_region_in_that_order(
    chip: str, idf: str, request_: str, options: dict[str, object], tmp_path: Path
) -> None:
    caps = capabilities.parse(request_)
    layout = small_build(chip, idf, options)
    expected = list(dict.fromkeys(a.index for a in attempts(layout, caps)))
    block = 2048
    count = sum(layout.regions[index].size for index in expected) // block + 2
    assert count < 4096  # marks that are kept
    text = tmp_path / "fill.txt"
    text.write_text("".join(f"a {i} {block}\n! {i}\n" for i in range(count)), encoding="utf-8")
    import_text(text, tmp_path / "fill.hst")
    asking = replace(layout, malloc=MallocRule(small=caps))
    served = [
        [r.allocations for r in m.regions] for m in replay(tmp_path / "fill.hst", asking).marks
    ]
    steps = zip([[0] * len(layout.regions), *served], served, strict=False)
    grown = [next((i for i, (a, b) in enumerate(zip(*s, strict=True)) if b > a), -1) for s in steps]
    order = [index for index, _ in groupby(grown)]
    assert order[-1] == -1  # at last nothing serves it
    assert order[:-1] == [index for index in expected if index in order]
    large = {index for index in expected if layout.regions[index].size > 2 * block}
    assert large <= set(order)


def small_build(chip: str, idf: str, options: dict[str, object]) -> Layout:
    """256 KB of PSRAM where asked for, and a model that the library has for certain."""
    psram = Psram(size=1 << 18) if options.get("psram") else None
    given = {name: value for name, value in options.items() if name != "psram"}
    layout = load_chip(chip).layout(
        idf=idf,
        psram=psram,
        startup_use=0,
        allocator="idf-5.5" if idf != "4.2" else "idf-4.2",
        **given,  # type: ignore[arg-type]
    )
    return replace(layout, request_max=0)
