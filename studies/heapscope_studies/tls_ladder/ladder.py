"""The steps as `heapscope compare --steps --trace --traced` has them, on the chip of 2020."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.interrupt import scratch_folder
from heapscope.forecast.ladder.replayed import in_memory, least_free
from heapscope.forecast.ladder.side import ConfigSide, named_files, steps_of
from heapscope.forecast.ladder.sides import sides_of, with_static
from heapscope.forecast.predict.memory_states import DRAM, IRAM
from heapscope.forecast.predict.part_table import BOOT
from heapscope.forecast.predict.static_use import KnownStatic
from heapscope.simulation.result.result import ReplayResult
from heapscope_studies.captured import captured_trace
from heapscope_studies.data_file import PACKAGE
from heapscope_studies.tls_ladder.compose import composed
from heapscope_studies.tls_ladder.constants import values
from heapscope_studies.tls_ladder.steps import CURVES, STEPS, Step

CHIP, SDK = "esp32", "4.2"
BASE, PARAGRAPHS = (PACKAGE / "data" / f"tls_ladder_{name}.txt" for name in ("base", "steps"))
CALIBRATED = ("default",)  #: keys of the steps whose published figures are an input
#: Of those that follow from option values and from parts of predict, whatever the traces have.
ARITHMETIC = ("unicore", "out", "network", "rtc")
_CODE = "IRAM"
_ROUNDS = 4  # of the calibration, which moves by multiples of 4

Find = Callable[[str], Path]


@dataclass(frozen=True, kw_only=True)
class Firmware:
    """Bytes of static use of the dual-core build."""

    dram: int
    iram: int


@dataclass(frozen=True, kw_only=True)
class Row:
    """Bytes. `tasks`: peak payload by task, in DRAM and in IRAM."""

    step: Step
    dram: int  # minimum free
    iram: int
    tasks: Mapping[str, tuple[int, int]]


def climb(
    first: tuple[int, int],
    *,
    use: Mapping[str, int] | None = None,
    find: Find = captured_trace,
    curve: str = CURVES[0],
    steps: Sequence[Step] = STEPS,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[Firmware, tuple[Row, ...]]:
    """`first`: minimum free DRAM and IRAM of the first step, from which the firmware's static use
    is found. `use`: the constants. `steps`: the first one of STEPS first."""
    use = values() if use is None else use
    rows: list[Row] = []
    with scratch_folder() as folder:
        for done, step in enumerate(steps):
            trace = Path(folder) / f"{step.key}.hst"
            client, network = find(step.client.format(curve=curve)), find(step.network)
            trace.write_bytes(composed(client, network, iram_from=step.iram_from))
            if done == 0:
                firmware = _calibrated(trace, first)
            side = _sides(firmware)[step.paragraphs]
            rows.append(_with_driver(_row(step, trace, side), use))
            progress(done + 1)
    return firmware, tuple(rows)


def _calibrated(trace: Path, first: tuple[int, int]) -> Firmware:
    """Every byte of static use is one less of free memory."""
    model = _predicted()[0].model
    free, memory = model.free(BOOT), model.scene.memory
    dram = memory.dram - round(free[DRAM].median) & ~3
    iram = memory.iram - round(free[IRAM].median) & ~3
    for _ in range(_ROUNDS):
        firmware = Firmware(dram=dram, iram=iram)
        row = _row(STEPS[0], trace, _sides(firmware)[0])
        if (row.dram, row.iram) == first:
            break
        dram += row.dram - first[0]
        iram += row.iram - first[1]
    return firmware


@functools.cache
def _predicted() -> tuple[ConfigSide, ...]:
    """The first configuration, and after each paragraph, as compare has them."""
    named = named_files([BASE])
    named += steps_of(PARAGRAPHS, named[0])
    return tuple(sides_of(named, {"chip": CHIP, "idf": SDK}))


@functools.lru_cache(maxsize=16)
def _sides(firmware: Firmware) -> tuple[ConfigSide, ...]:
    known = KnownStatic(static_dram=firmware.dram, static_iram=firmware.iram)
    return tuple(with_static(_predicted(), known))


def _row(step: Step, trace: Path, side: ConfigSide) -> Row:
    result = in_memory(side.model, trace, traced=True)
    if result.summary.failures:
        raise InputError(
            f"tls-ladder, {step.title}: {result.summary.failures} requests failed",
            remedy="this should not happen: report it",
        )
    free, iram = least_free(result)
    return Row(step=step, dram=free, iram=iram, tasks=_tasks(result))


def _with_driver(row: Row, use: Mapping[str, int]) -> Row:
    """The driver's own structures are its task's; the static use that is found has their bytes."""
    dram, iram = row.tasks["wifi"]
    return replace(row, tasks={**row.tasks, "wifi": (dram + use["driver_state"], iram)})


def _tasks(result: ReplayResult) -> dict[str, tuple[int, int]]:
    """A task's peaks in the kinds of one row are added up, as the study's table has one row."""
    match: dict[str, tuple[int, int]] = {}
    for row in result.tasks:
        dram, iram = match.get(row.task, (0, 0))
        if row.kind == _CODE:
            iram += row.payload_peak
        else:
            dram += row.payload_peak
        match[row.task] = (dram, iram)
    return match
