"""The steps replayed on the chip of 2020."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.interrupt import scratch_folder
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult
from heapscope_studies.captured import captured_trace
from heapscope_studies.tls_ladder.compose import composed
from heapscope_studies.tls_ladder.constants import second_core, values
from heapscope_studies.tls_ladder.steps import CURVES, STEPS, Step

CHIP, SDK, FLAVOUR = "esp32", "4.2", "+light+track"
DRAM, IRAM = "8BIT", "IRAM"
CALIBRATED = ("default",)  #: keys of the steps whose published figures are an input
#: Of those that follow from option values and constants, whatever the traces have.
ARITHMETIC = ("unicore", "out", "network", "rtc")
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
                firmware = _calibrated(trace, first, use)
            rows.append(_with_driver(_row(step, trace, _layout(step, firmware, use)), use))
            progress(done + 1)
    return firmware, tuple(rows)


def _calibrated(trace: Path, first: tuple[int, int], use: Mapping[str, int]) -> Firmware:
    """Every byte of static use is one less of free memory."""
    dram, iram = (
        next(
            r.start - r.static_base
            for r in load_chip(CHIP).data.default_regions
            if r.static == name
        )
        for name in ("dram", "iram")
    )
    for _ in range(_ROUNDS):
        firmware = Firmware(dram=dram, iram=iram)
        row = _row(STEPS[0], trace, _layout(STEPS[0], firmware, use))
        if (row.dram, row.iram) == first:
            break
        dram += row.dram - first[0]
        iram += row.iram - first[1]
    return firmware


def _layout(step: Step, firmware: Firmware, use: Mapping[str, int]) -> Layout:
    chip = load_chip(CHIP)
    startup = chip.data.default_startup
    dram, iram = firmware.dram, firmware.iram
    if step.cores == 1:
        parts = tuple(second_core(use))
        startup -= sum(part.total for part in parts if part.heap)
        dram -= sum(part.total for part in parts if not part.heap)
    if step.lwip_iram:
        iram += use["lwip_code"]
    return chip.layout(
        idf=SDK,
        cores=step.cores,
        static_dram=dram,
        static_iram=iram,
        rtc=step.rtc if step.cores == 1 else None,
        iram_8bit=step.iram_from > 0,
        flavour=FLAVOUR,
        startup_use=startup,
    )


def _row(step: Step, trace: Path, layout: Layout) -> Row:
    result = replay(trace, layout)
    free = next(row.minimum_free_reported for row in result.sets if row.capabilities == DRAM)
    iram = sum(row.reported_minimum_free for row in result.regions if row.kind == IRAM)
    if result.summary.failures:
        raise InputError(
            f"tls-ladder, {step.title}: {result.summary.failures} requests failed",
            remedy="this should not happen: report it",
        )
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
        if row.kind == IRAM:
            iram += row.payload_peak
        else:
            dram += row.payload_peak
        match[row.task] = (dram, iram)
    return match
