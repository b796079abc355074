"""`python -m heapscope_studies.memory_parts.weigh [-v]`: the forecast of memory held against what
was measured.

    ladder   the six steps of a published ladder by `compare --steps`; no figure of it is learned
    boot     the heap at boot from a configuration alone, of public builds; each project is left
             out of what is learned for it, and its own code and data are known
    iram     what public builds with a radio leave of the ESP32's IRAM; no such build is learned
    ranks    the published Wi-Fi ranks by `compare`: the internal memory that each has more than the
             best one of its table; no memory of a rank is learned
    options  the effect of one option in runs of the real SDK, at app_main, from 1 KB on
    wifi     the same in a Wi-Fi station that has started, from 400 B on
    firmware the free memory of that station at app_main and when it has started, its own code and
             data known, as of its ELF

    files FOLDER  builds beneath a folder: the heap at boot by the ELF or the map of each, held
             against its image, which has the heap's regions; on request alone

    -v       each figure, too
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from pathlib import Path
from statistics import median

from heapscope.forecast.ladder.compared import difference_of
from heapscope.forecast.ladder.difference import GainBand
from heapscope.forecast.ladder.side import ConfigSide, NamedFiles, named_files, side_of, steps_of
from heapscope.forecast.ladder.sides import linking
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_states import DRAM, IRAM, MemoryModel
from heapscope.forecast.predict.part_table import BOOT
from heapscope_studies.data_file import PACKAGE, read_published
from heapscope_studies.memory_parts import rank_steps
from heapscope_studies.memory_parts.at_boot import LeftOut, at_boot
from heapscope_studies.memory_parts.built_files import built_files
from heapscope_studies.memory_parts.measured_runs import Run, builds, file_of, runs

LADDER: Path = PACKAGE / "data" / "tls_ladder_steps.txt"


@dataclass(frozen=True, kw_only=True)
class Held:
    """A forecast beside its measurement, bytes."""

    name: str
    measured: float
    predicted: float
    half_80: float

    @property
    def off(self) -> float:
        return abs(self.predicted - self.measured)

    @property
    def inside(self) -> bool:
        return self.off <= self.half_80 + 0.5

    def within(self, share: float, least: float) -> bool:
        return self.off <= max(share * abs(self.measured), least)


def ladder() -> list[Held]:
    """The steps of the first seed, by the user's verb."""
    base = named_files([LADDER.with_name("tls_ladder_base.txt")])[-1]
    named = [base, *steps_of(LADDER, base)]
    sides = [
        side_of(each, chip="esp32", idf="4.2", demand=Demand(tcp=1, tls=1), links=())
        for each in named
    ]
    sides = linking(sides)
    published = [step["dram"] for step in read_published("tls_ladder")["step"]]
    gains = [after - before for before, after in pairwise(published)]
    return [
        _held(there.name, gain, difference_of(here, there).total.left.dram)
        for (here, there), gain in zip(pairwise(sides), gains, strict=True)
    ]


def _held(name: str, measured: float, gain: GainBand) -> Held:
    half = (gain.high_80 - gain.low_80) / 2
    return Held(name=name, measured=measured, predicted=gain.median, half_80=half)


def ranks() -> list[Held]:
    """The steps from the best rank of each table, in DRAM and the ESP32's IRAM together."""
    built: list[Held] = []
    known: dict[str, ConfigSide] = {}
    for rows in rank_steps.steps():
        known |= {row.id: rank_steps.side(row) for row in rows if row.id not in known}
        left = difference_of(*(known[row.id] for row in rows)).total.left
        halves = ((band.high_80 - band.low_80) / 2 for band in (left.dram, left.iram))
        built.append(
            Held(
                name=rows[1].id,
                measured=rank_steps.gain(*rows),
                predicted=left.dram.median + left.iram.median,
                half_80=hypot(*halves),
            )
        )
    return built


def boot() -> list[tuple[str, Held]]:
    """By chip."""
    return [(each.build.chip, _boot(each)) for each in at_boot(builds())]


def _boot(each: LeftOut) -> Held:
    return Held(
        name=f"{each.build.id} {each.build.idf}",
        measured=each.build.dram + (each.build.own or 0),
        predicted=each.free.median,
        half_80=each.free.half_80,
    )


def radio_iram(link: str) -> Iterator[Held]:
    """The ESP32's builds whose image has this radio, alone or beside another."""
    for build in builds():
        if build.iram is None or link not in build.links:
            continue
        free = build.model.free(BOOT)[IRAM]
        yield Held(
            name=f"{build.id} {build.idf} {' '.join(build.links)}",
            measured=build.iram,
            predicted=free.median,
            half_80=free.half_80,
        )


def effects(program: Callable[[Run], bool], state: str, least: int) -> Iterator[Held]:
    """Each run against the one that it differs from, in DRAM and in the ESP32's IRAM."""
    found = [run for run in runs() if program(run)]
    by_name = {(run.program, run.chip, run.name): run for run in found}
    for run in found:
        base = by_name[run.program, run.chip, run.against]
        if run is base or run.lines == base.lines:
            continue
        before, after = linking([_side(base), _side(run)])
        gains = difference_of(before, after).total.states
        dram = _free(run, state) - _free(base, state)
        if abs(dram) >= least:
            yield _held(f"{run.chip} {run.name}", dram, gains[state].dram)
        if run.iram is not None and base.iram is not None:
            iram = run.iram - base.iram
            if abs(iram) >= least:
                yield _held(f"{run.chip} {run.name} IRAM", iram, gains[state].iram)


def firmware(chip: str, state: str) -> Iterator[Held]:
    """The free memory itself, of the runs whose heap at boot is known."""
    for run in runs():
        if run.chip != chip or run.boot is None:
            continue
        scene = _side(run).model.scene
        model = MemoryModel(
            scene=scene,
            static_dram=scene.memory.dram + scene.memory.rtc - run.boot,
            static_iram=None if run.iram is None else scene.memory.iram - run.iram,
            linked=frozenset(run.links),
        )
        free = model.free(state)[DRAM]
        yield Held(
            name=f"{chip} {run.name}",
            measured=_free(run, state),
            predicted=free.median,
            half_80=free.half_80,
        )


def _free(run: Run, state: str) -> int:
    return run.app_main if state == "app_main" else run.wifi_started or 0


def _side(run: Run) -> ConfigSide:
    file = file_of(run.name, run.lines, run.idf)
    return side_of(
        NamedFiles(name=run.name, files=(file,)),
        chip=run.chip,
        idf=run.idf,
        demand=Demand(),
        links=(),
    )


def main(arguments: Sequence[str]) -> int:
    verbose = "-v" in arguments
    wanted = [each for each in arguments if not each.startswith("-")]
    if wanted[:1] == ["files"] and len(wanted) == 2:
        return _files(Path(wanted[1]))

    def chosen(name: str) -> bool:
        return not wanted or name in wanted

    if chosen("ladder"):
        _print("ladder", ladder(), verbose, share=0.15, least=1536)
    if chosen("ranks"):
        _print("ranks", ranks(), verbose, share=0.15, least=2048)
    if chosen("boot"):
        of = boot()
        _print("boot", [held for _, held in of], verbose, share=0.0, least=3072)
        for chip in sorted({chip for chip, _ in of}):
            _print(f"  {chip}", [held for name, held in of if name == chip], False)
    if chosen("iram"):
        for link in ("wifi", "ble"):
            _print(f"iram with {link}", list(radio_iram(link)), verbose, least=6144)
    if chosen("options"):
        _print(
            "options",
            list(effects(lambda run: run.program != "wifi", "app_main", 1024)),
            verbose,
            share=0.15,
        )
    if chosen("wifi"):
        _print(
            "wifi",
            list(effects(lambda run: run.program == "wifi", "wifi_started", 400)),
            verbose,
            share=0.15,
        )
    if chosen("firmware"):
        for chip in ("esp32", "esp32c3"):
            for state in ("app_main", "wifi_started"):
                _print(f"  {chip} {state}", list(firmware(chip, state)), verbose, least=1024)
    return 0


def _files(folder: Path) -> int:
    held = list(built_files(folder))
    for each in held:
        if not each.exact:
            print(f"{each.path}: {each.file} and not {each.image} bytes", *each.unlike, sep="; ")
    print(f"files {sum(each.exact for each in held)} of {len(held)} to the byte")
    return 0


def _print(
    name: str, held: Sequence[Held], verbose: bool, *, share: float = 0.0, least: float = 0.0
) -> None:
    if not held:
        return
    if verbose:
        for each in held:
            print(
                f"  {each.name[:44]:<46}{each.measured:>9,.0f}{each.predicted:>10,.0f}"
                f"{each.predicted - each.measured:>9,.0f} +-{each.half_80:>7,.0f}"
                f"{'' if each.inside else '  outside'}"
            )
    within = sum(each.within(share, least) for each in held)
    off = median(each.off for each in held)
    shares = [each.off / abs(each.measured) for each in held if each.measured]
    inside = sum(each.inside for each in held)
    print(
        f"{name:<24}{len(held):>4} figures: within limit {within:>3}; median {off:>7,.0f} B, "
        f"{100 * median(shares):>3.0f} %; "
        f"in 80 % band {inside:>3} ({100 * inside / len(held):.0f} %)"
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
