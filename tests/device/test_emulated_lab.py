"""The lab's replay on a chip's regions with our own allocator is the device's code: every block of
captured traces lies at the address at which machine code of 32-bit chips puts it, on the regions of
an ESP32."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from emulation.events import ALIGNED, CALLOC, FREE, MALLOC, REALLOC
from emulation.lab import Places, SizeRule, in_emulation, in_the_lab
from emulation.run import FAILED

from heapscope.base import capabilities
from heapscope.memory.layout.boot_log import read_boot_log
from heapscope.memory.layout.build import Psram
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement, PlacementRule
from heapscope.native.events import Events, event_dtype, keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

ROOT = Path(__file__).parents[2]
#: The five regions of an ESP32 under ESP-IDF v4.2.
BOOT = ROOT / "studies" / "heapscope_studies" / "data" / "heap_change_boot.txt"
TARGETS = ("rv32imc", "cortex-m4", "x86-32")
COUNT = 2500
THRESHOLD = 260  # many requests are just so large
PSRAM = 1 << 18
HIGH = 1 << 30  # HS_CAP_HIGH
#: The blocks of internal memory that are taken before each trace, so that the rest is not enough
#: for all of it. CODE and EXTERNAL are those of memory for code and of PSRAM.
BALLAST = {
    "mix_gateway": (170_000, 40_000, 4_000),
    "tenants_wifi_tcpip": (170_000, 100_000, 11_000),
}
CODE, EXTERNAL = 83_000, 255_000
#: Capabilities that a third of the requests is given. None has DEFAULT, which is malloc's.
WISHES = tuple(
    capabilities.parse(text)
    for text in (
        *("EXEC", "32BIT", "INTERNAL", "DMA", "EXEC|INTERNAL", "8BIT|INTERNAL", "IRAM_8BIT"),
        *("32BIT|DMA", "EXEC|DMA", "SPIRAM", "EXEC|8BIT"),
    )
)


class Build(NamedTuple):
    """An allocator of the lab, and what the device is configured with."""

    allocator: str
    guard: int | None
    owners: bool
    psram: Psram | None = None
    iram_8bit: bool = True


MALLOC_USES_IT = Psram(size=PSRAM, threshold=THRESHOLD, reserve=0)
MALLOC_DOES_NOT = Psram(size=PSRAM, threshold=None)
BUILDS = {
    "plain": Build("heapscope", None, False),
    "owners": Build("heapscope+track", None, True),
    "guard 1, owners": Build("heapscope+guard1", 1, True),
    "guard 2": Build("heapscope+guard2", 2, False, iram_8bit=False),
    "guard 3": Build("heapscope+guard3", 3, False),
    "threshold": Build("heapscope", None, False, MALLOC_USES_IT),
    "threshold, owners": Build("heapscope+track", None, True, MALLOC_USES_IT, iram_8bit=False),
}


def layout_of(build: Build) -> Layout:
    return load_chip("esp32").layout(
        boot=read_boot_log(BOOT),
        idf="4.2",
        startup_use=0,
        cores=1,
        iram_8bit=build.iram_8bit,
        allocator=build.allocator,
        psram=build.psram,
    )


@cache
def recorded(name: str) -> Events:
    """The first calls of a captured trace."""
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(ROOT / "studies" / "workloads" / "captured" / f"{name}.hst.zst", reader)
        events = np.concatenate(list(take_events(reader)))
    return events[(events["kind"] >= MALLOC) & (events["kind"] <= FREE)][:COUNT]


def on_full_memory(name: str, rows: Events, *, psram: bool) -> Events:
    asks = [(size, "INTERNAL|8BIT") for size in BALLAST[name]]
    asks += [(CODE, "EXEC"), (EXTERNAL, "SPIRAM")][: 1 + psram]
    front, rows = np.zeros(len(asks), event_dtype()), rows.copy()
    front["kind"], front["key"] = MALLOC, range(len(asks))
    front["size"] = [size for size, _ in asks]
    front["caps"] = [capabilities.parse(caps) for _, caps in asks]
    rows["key"] += len(front)
    rows["new_key"][rows["kind"] == REALLOC] += len(front)
    return np.concatenate([front, rows])


def with_wishes(rows: Events) -> Events:
    """Requests for capabilities among the others, and calls of every kind."""
    random, rows = np.random.default_rng(len(rows)), rows.copy()
    requests = rows["kind"] != FREE
    asks = requests & (random.random(len(rows)) < 1 / 3)
    rows["caps"][asks] = random.choice(WISHES, asks.sum())
    others = np.flatnonzero((rows["kind"] == MALLOC) & (random.random(len(rows)) < 1 / 4))
    rows["kind"][others] = random.choice((CALLOC, ALIGNED), len(others))
    aligned = rows["kind"] == ALIGNED
    rows["align_log2"][aligned] = random.integers(0, 8, aligned.sum())
    # A block that is freed has got another size before, perhaps by other capabilities.
    frees = np.flatnonzero(~requests & (random.random(len(rows)) < 1 / 2))
    built = rows[frees]
    built["kind"], built["new_key"] = REALLOC, built["key"]
    built["size"] = random.integers(1, 400, len(built))
    built["caps"] = random.choice((0, 0, *WISHES), len(built))
    return np.insert(rows, frees, built)


def used(layout: Layout, places: Places) -> list[int]:
    """How many results lie in each region."""
    return [int(((places >= r.start) & (places < r.end)).sum()) for r in layout.regions]


@pytest.mark.cells(1)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("build", BUILDS)
def test_every_address_is_the_device_s(build: str, target: str, tmp_path: Path) -> None:
    chosen = BUILDS[build]
    layout = layout_of(chosen)
    reversed_words = [r.iram_alias for r in layout.regions]
    failed, code, seen = 0, 0, np.zeros(len(layout.regions), int)
    for name in BALLAST:
        for wishes in (False, True):
            rows = with_wishes(recorded(name)) if wishes else recorded(name)
            rows = on_full_memory(name, rows, psram=chosen.psram is not None)
            lab = in_the_lab(layout, rows, tmp_path)
            device = in_emulation(target, layout, rows, guard=chosen.guard, owners=chosen.owners)
            (wrong,) = np.nonzero(lab != device)
            assert not len(wrong), (name, wishes, wrong[0], rows[wrong[0]], lab[wrong[0]])
            failed += (lab == FAILED).sum()
            seen += used(layout, lab)
            asks_code = rows["caps"] & capabilities.EXEC != 0
            code += sum(np.compress(reversed_words, used(layout, lab[asks_code])))
    assert failed > 500
    assert code > 20
    assert min(seen) > 50, seen


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_placement_by_size_is_the_device_s_rule(target: str, tmp_path: Path) -> None:
    """Without realloc: there a block that can stay stays under --place, and on the device moves."""
    name = "tenants_wifi_tcpip"
    layout = layout_of(Build("heapscope", None, False, MALLOC_DOES_NOT))
    external = next(i for i, r in enumerate(layout.regions) if r.kind == "SPIRAM")
    rule = PlacementRule(
        number=1, regions=(external,), target="SPIRAM", fallback=True, size_min=THRESHOLD
    )
    placement = Placement(file="", rules=(rule,))
    rows = on_full_memory(name, recorded(name), psram=True)
    assert REALLOC not in rows["kind"]
    lab = in_the_lab(layout, rows, tmp_path, placement)
    size_rule = SizeRule(layout.malloc.small, THRESHOLD, 0, capabilities.SPIRAM)
    device = in_emulation(target, layout, rows, guard=None, owners=False, rules=(size_rule,))
    assert np.array_equal(lab, device)
    assert used(layout, lab)[external] > 10
    assert not np.array_equal(lab, in_the_lab(layout, rows, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("build", ["plain", "owners", "guard 1, owners", "guard 2"])
def test_both_ends_are_the_device_s(build: str, target: str, tmp_path: Path) -> None:
    """With realloc and requests for capabilities. A guard that fills memory uses the low end."""
    chosen = BUILDS[build]
    layout = layout_of(chosen)
    sizes = {"size_min": 40, "size_max": 700}
    rule = PlacementRule(
        number=1, regions=(), target="the high end", fallback=True, high=True, **sizes
    )
    size_rule = SizeRule(0, sizes["size_min"], sizes["size_max"], HIGH)
    name = "mix_gateway"
    rows = on_full_memory(name, with_wishes(recorded(name)), psram=False)
    assert REALLOC in rows["kind"]
    lab = in_the_lab(layout, rows, tmp_path, Placement(file="", rules=(rule,)))
    device = in_emulation(
        target,
        layout,
        rows,
        guard=chosen.guard,
        owners=chosen.owners,
        rules=(size_rule,),
        ends=True,
    )
    (wrong,) = np.nonzero(lab != device)
    assert not len(wrong), (wrong[0], rows[wrong[0]], lab[wrong[0]], device[wrong[0]])
    one_end = in_the_lab(layout, rows, tmp_path)
    assert np.array_equal(lab, one_end) == (build == "guard 2")
