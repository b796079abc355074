"""Published figures of memory, and what the table of parts says of them before anything is learned.

`programs.csv` has free memory of whole programs: examples of the SDK with their own options.
Builds of public projects, whose own code and data are known, stand beside them.
`changes.csv` has what a change of options gave on a device. A figure that was published in whole KB
may be of 1,000 or of 1,024 bytes each: whatever lies between both agrees with it.
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heapscope.config.config import Config, typed
from heapscope.config.releases import find_release
from heapscope.forecast.predict.chip_memory import publisher
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import (
    DRAM,
    IRAM,
    MORE,
    MemoryModel,
    group_of,
)
from heapscope.forecast.predict.memory_use import MemoryUse, use_of
from heapscope.forecast.predict.part_table import (
    APP_MAIN,
    BOOT,
    KINDS,
    LOAD,
    minor_number,
    part_table,
)
from heapscope.forecast.predict.posterior import Array
from heapscope_studies.data_file import PACKAGE
from heapscope_studies.memory_parts.measured_runs import Run, builds, model_of_lines, runs

_FOLDER: Path = PACKAGE / "data" / "memory_parts"
_UNITS = {"B": (1.0, 1.0), "KB": (1000.0, 1024.0)}

DIFFERENCE = "difference"
#: The memory that a connection takes while it sends: buffers alone, without the program.
SENDING = "sending"
#: The memory that an option gives which moves Wi-Fi's code, in the SDK's own runs.
MOVED = "moved"
_SENT = ("tcp-pcb", "tcp-send", "oversize", "dynamic-tx")
_SEND_BUFFER = "LWIP_TCP_SND_BUF_DEFAULT"
_EMULATION = "ESP-IDF in emulation"
_MOVES_CODE = re.compile(r"ESP(32)?_WIFI_(RX_)?IRAM_OPT")
#: The code and data of a printed program are not known, so that its heap at boot is as doubtful as
#: that of the state behind it.
_START = {BOOT: APP_MAIN}
#: The things that are learned: a factor of each kind of figure, and the bytes that sums leave out.
NAMES = (*KINDS, *MORE)


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """A published figure. `low`, `high`: bytes. `model`: None for a difference, without a base."""

    id: str
    group: str
    state: str
    chip: str
    publisher: str
    low: float
    high: float
    use: MemoryUse
    place: str = DRAM
    model: MemoryModel | None = None

    @property
    def published(self) -> float:
        return (self.low + self.high) / 2

    def base(self, without: frozenset[str], widths: tuple[float, float]) -> tuple[float, float]:
        """Bytes before what hangs on options, with a standard deviation. The case's own publisher
        is always left out."""
        if self.model is None:
            return 0.0, 0.0
        without |= {self.publisher}
        return self.model.less_empty(self._before_code, self.place, without, widths)

    @functools.cached_property
    def _before_code(self) -> float:
        return self.model.before_code(self.state, self.place) if self.model else 0.0

    @functools.cached_property
    def features(self) -> Array:
        """Its use by each thing that can be learned, in the order of NAMES."""
        return np.array([self.use.features.get(name, 0.0) for name in NAMES])

    @functools.cached_property
    def squares(self) -> Array:
        """Squares of its parts' bytes, in the order of KINDS."""
        return np.array([self.use.squares.get(kind, 0.0) for kind in KINDS])

    def off(self, predicted: float) -> float:
        if self.low <= predicted <= self.high:
            return 0.0
        return predicted - (self.low if predicted < self.low else self.high)


def model_of(
    chip: str, sdk: str, options: str, *, links: str = "", demand: Demand | None = None
) -> MemoryModel:
    config = Config(chip=chip, sdk=find_release(sdk).name)
    pairs = (option.split("=") for option in options.split())
    config = config.changed_to(
        {
            name: value
            for name, text in pairs
            if (kind := config.kind(name)) and (value := typed(text, kind)) is not None
        }
    )
    scene = MemoryScene(
        config=config,
        minor=minor_number(sdk),
        links=tuple(links.split()),
        demand=demand or Demand(),
    )
    return MemoryModel(scene=scene)


@functools.cache
def cases() -> tuple[Case, ...]:
    return (
        *(case for row in _rows("programs") for case in _program(row)),
        *_built(),
        *(_change(row) for row in _rows("changes")),
        *(case for run in runs() if run.sending for case in _sending(run)),
        *(case for run in runs() for case in _moved(run)),
    )


def _sending(run: Run) -> Iterator[Case]:
    """The runs that differ in the size of the send buffer, and the ones that they differ from. How
    soon the radio is done with a frame no option tells: each such figure is one."""
    base = next(each for each in runs() if (each.program, each.chip) == (run.program, run.chip))
    if run is not base and run.lines[_SEND_BUFFER] == base.lines[_SEND_BUFFER]:
        return
    model = model_of_lines(run.chip, run.idf, run.lines, run.links)
    held = model.held(LOAD, _SENT)
    for number, taken in enumerate(run.sending):
        yield Case(
            id=f"{run.name}.{number}",
            group=SENDING,
            state=LOAD,
            chip=run.chip,
            publisher=_EMULATION,
            low=-float(taken),
            high=-float(taken),
            use=use_of((each.part.kind, each.taken) for each in held if each.place == DRAM),
        )


def _moved(run: Run) -> Iterator[Case]:
    """The runs that differ in where Wi-Fi's code lies, and in nothing else."""
    base = next(
        each
        for each in runs()
        if (each.program, each.chip, each.name) == (run.program, run.chip, run.against)
    )
    differ = {name for name, _ in run.lines.items() ^ base.lines.items()}
    if not differ or not all(map(_MOVES_CODE.fullmatch, differ)):
        return
    sizes: dict[str, float] = {}
    for sign, each in ((-1, base), (1, run)):
        for held in model_of_lines(each.chip, each.idf, each.lines, each.links).held(BOOT):
            if held.part.memory == "code":
                sizes.setdefault(held.part.id, 0.0)
                sizes[held.part.id] += sign * held.taken
    kinds = {part.id: part.kind for part in part_table()}
    gain = (run.iram or run.wifi_started or 0) - (base.iram or base.wifi_started or 0)
    yield Case(
        id=run.name,
        group=MOVED,
        state=BOOT,
        chip=run.chip,
        publisher=_EMULATION,
        low=float(gain),
        high=float(gain),
        use=use_of((kinds[name], size) for name, size in sizes.items() if size),
    )


def _built() -> Iterator[Case]:
    """The heap at boot of public builds whose own code and data are known."""
    return (
        Case(
            id=build.id,
            group=group_of(BOOT, DRAM),
            state=BOOT,
            chip=build.chip,
            publisher=build.owner,
            low=float(build.dram + build.own),
            high=float(build.dram + build.own),
            use=build.model.use(BOOT, DRAM),
            model=build.model,
        )
        for build in builds()
        if build.own is not None
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _program(row: dict[str, str]) -> Iterator[Case]:
    model = model_of(row["chip"], row["sdk"], row["options"], links=row["links"])
    for place, text in ((DRAM, row["free_dram"]), (IRAM, row["free_iram"])):
        if not text:
            continue
        low, high = (float(text) * each for each in _UNITS[row["unit"]])
        yield Case(
            id=row["id"] if place == DRAM else f"{row['id']}-iram",
            group=group_of(_START.get(row["state"], row["state"]), place),
            state=row["state"],
            chip=row["chip"],
            publisher=publisher(row["source"]),
            low=low,
            high=high,
            use=model.use(row["state"], place),
            place=place,
            model=model,
        )


def _change(row: dict[str, str]) -> Case:
    demand = Demand(tcp=0, tls=int(row["tls"] or 0))
    before, after = (
        model_of(row["chip"], row["sdk"], row[side], links=row["links"], demand=demand)
        for side in ("before", "after")
    )
    return Case(
        id=row["id"],
        group=DIFFERENCE,
        state=row["state"],
        chip=row["chip"],
        publisher=publisher(row["source"]),
        low=float(row["bytes"]),
        high=float(row["bytes"]),
        use=before.change(after, row["state"]),
    )
