"""The answer of `ram` for one firmware."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from heapscope.answers.ram.budget import bar_of, capability_rows, memory_runs, rows_of
from heapscope.answers.ram.built_firmware import BuiltFirmware
from heapscope.answers.ram.cut import APART
from heapscope.answers.ram.had_back import rows_back
from heapscope.answers.ram.measured import LoggedHeap, measured_by_log, measured_by_trace
from heapscope.answers.ram.moves import moves_of
from heapscope.answers.ram.ram_result import RamBar, RamMeasured, RamPulled, RamResult
from heapscope.answers.ram.states import heap_model, state_rows
from heapscope.answers.ram.tasks import task_rows
from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, phase
from heapscope.base.readable_name import readable_name
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.system_load import busiest_memory, twice
from heapscope.memory.static.picture import static_parts, static_ram
from heapscope.memory.static.static_ram import StaticPart
from heapscope.memory.static.use import StaticUse
from heapscope.simulation.replay.run import replay

_MUCH = 100  # a part of a memory


def ram_answer(
    thing: str,
    firmware: BuiltFirmware,
    *,
    why: str = "",
    calls: str | Path | None = None,
    demand: Demand | None = None,
    log: LoggedHeap | None = None,
    trace: str | Path | None = None,
    progress: OnProgress | None = None,
) -> RamResult:
    """`calls`: a file of known calls; `log`, `trace`: what fills its heap. InputError: nothing of
    the firmware has the name `why`, or a file is damaged."""
    cut = list(memory_runs(firmware))
    bars = tuple(bar_of(window, runs) for window, runs in cut)
    use = firmware.use
    model = heap_model(firmware, demand or Demand())
    states = () if model is None else state_rows(model, bars)
    tasks, about_tasks = task_rows(
        firmware.elf,
        calls,
        None if model is None else model.scene.config,
        left=None if log is None else log.stacks_left,
    )
    measured, about_heap = _measured(firmware, model, bars, log=log, trace=trace, progress=progress)
    opened = tuple(row for row in states if why and row.component == why)
    own_task = any(row.task == why for row in tasks)
    return RamResult(
        thing=printable(thing, limit=400),
        what=firmware.what,
        chip=firmware.chip,
        idf=firmware.idf,
        files=firmware.files,
        verdict=_verdict(firmware.title, bars),
        memories=bars,
        runs=tuple(row for window, runs in cut for row in rows_of(window, runs)),
        static=static_ram(use, firmware.windows, firmware.regions, start=firmware.heap_start),
        capabilities=tuple(capability_rows(firmware.capable, _psram(model, use))),
        measured=measured,
        states=states,
        tasks=tasks,
        back=rows_back(firmware, model, tasks),
        why=() if not why or opened or own_task else _named(use, why),
        why_heap=opened,
        moves=moves_of(firmware, model, why, tasks) if why else (),
        pulled=tuple(_pulled(use, why)),
        outside=_without_ram(use),
        notes=(
            *firmware.notes,
            *about_tasks,
            *about_heap,
            *_outside(use),
            *_overlaps(use),
            *_not_explained(bars),
        ),
    )


def _verdict(title: str, bars: Sequence[RamBar]) -> str:
    main = [bar for bar in bars if bar.memory not in APART]
    size, heap = sum(bar.bytes for bar in main), sum(bar.heap for bar in main)
    static = sum(bar.code + bar.data + bar.bss for bar in main)
    largest = max((bar.largest for bar in main), default=0)
    rest = sum(bar.unused + bar.not_explained for bar in main)
    has_rtc = " beside RTC memory" if len(main) < len(bars) else ""
    has_heap = f"{heap:,} B are heap at the start, and its largest region has {largest:,} B"
    no_heap = f"no heap behind them is known, and {rest:,} B are left"
    return (
        f"{title} has {size:,} B of RAM{has_rtc}: code and data take "
        f"{static:,} B, {has_heap if heap else no_heap}."
    )


def _measured(
    firmware: BuiltFirmware,
    model: MemoryModel | None,
    bars: Sequence[RamBar],
    *,
    log: LoggedHeap | None,
    trace: str | Path | None,
    progress: OnProgress | None,
) -> tuple[tuple[RamMeasured, ...], tuple[str, ...]]:
    rows, notes = ((), ()) if log is None else measured_by_log(log, firmware, bars)
    if trace is None:
        return rows, notes
    if model is None:
        raise InputError(
            "--trace needs the configuration of the build, for the system's own blocks",
            remedy="give a build folder of ESP-IDF with its sdkconfig, or leave --trace out",
        )
    memory = busiest_memory(model, traced=False)
    replayed = replay(trace, memory.layout(), progress=phase(progress, "replaying"))
    failed = replayed.summary.failures
    text = f"{trace}: {failed} of its requests fail beside the system's own blocks"
    notes = (
        *notes,
        *twice(Path(trace), remedy="a trace without them"),
        *([text] if failed else []),
    )
    return (*rows, measured_by_trace(replayed, bars)), notes


def _psram(model: MemoryModel | None, use: StaticUse) -> int:
    """Bytes of PSRAM that are heap, as the configuration has it on."""
    if model is None or not model.scene.on("SPIRAM"):
        return 0
    return max(0, model.scene.psram_size[0] - use.bytes_of("SPIRAM"))


def _outside(use: StaticUse) -> tuple[str, ...]:
    size = use.bytes_of("SPIRAM")
    text = f"{size:,} B of data are in PSRAM, whose size no file of the build tells"
    return (text,) if size else ()


def _overlaps(use: StaticUse) -> tuple[str, ...]:
    twice, last = 0, 0
    for start, size in sorted((s.start, s.size) for s in use.sections if s.start is not None):
        twice += min(max(0, last - start), size)
        last = max(last, start + size)
    return (f"{twice:,} B of sections lie on others, and count once",) if twice else ()


def _not_explained(bars: Sequence[RamBar]) -> tuple[str, ...]:
    return tuple(
        f"{bar.not_explained:,} B of the {bar.memory} at {bar.start:#010x} are not explained"
        for bar in bars
        if bar.not_explained * _MUCH > bar.bytes
    )


def _pulled(use: StaticUse, component: str) -> Iterator[RamPulled]:
    for each in use.pulled:
        if each.component == component:
            by, name = each.by
            yield RamPulled(
                member=each.member, by=by, object=name, symbol=readable_name(each.symbol)
            )


def _without_ram(use: StaticUse) -> tuple[str, ...]:
    """Archives that the linker took members of, and that lie in flash alone."""
    inside = {piece.component for piece in use.pieces}
    return tuple(sorted({each.component for each in use.pulled} - inside - {""}))


def _named(use: StaticUse, name: str) -> tuple[StaticPart, ...]:
    parts = static_parts(use, by_symbol=True)
    chosen = tuple(
        part for part in parts if name == part.component or readable_name(name) == part.symbol
    )
    if chosen:
        return chosen
    if name in _without_ram(use):
        raise InputError(
            f"{use.file}: {printable(name)} has nothing in RAM",
            remedy="give a component or a symbol of the answer",
        )
    names = {text for part in parts for text in (part.component, part.symbol) if text}
    raise InputError(
        f"{use.file}: nothing in RAM has the name '{printable(name)}'",
        remedy=f"{did_you_mean(name, names)}give a component or a symbol of the answer",
    )
