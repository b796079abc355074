"""The best configuration for what is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.choices import known
from heapscope.config.config import Config, settle
from heapscope.errors import InputError
from heapscope.layout.chip_data import chip_files
from heapscope.layout.chosen_config import DEFAULT_IDF, choose_config, left_out
from heapscope.layout.releases import find_release
from heapscope.predict.calibrate import calibrated
from heapscope.predict.constants import read_constants
from heapscope.predict.demand import Demand
from heapscope.predict.environment import placed
from heapscope.predict.forecast import with_own
from heapscope.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.predict.memory_states import MemoryModel
from heapscope.predict.own_board import measured_of
from heapscope.predict.system_load import twice
from heapscope.predict.wifi_table import METRICS, ranks
from heapscope.progress import OnProgress, phase
from heapscope.trace.names import printable
from heapscope.tune.answer import TuneResult, less
from heapscope.tune.by_replay import by_replays
from heapscope.tune.needs import CONTIGUOUS, PREFERENCES, parse_keep, parse_tune_needs
from heapscope.tune.problem import Problem, with_psram
from heapscope.tune.question import TuneQuestion, answer, default_preference
from heapscope.tune.ranks import RankGains, rank_gains
from heapscope.tune.tls import choose_tls


def tune(
    *files: str | Path,
    chip: str | None = None,
    idf: str | None = None,
    project: str | Path | None = None,
    psram: str | None = None,
    need: Sequence[str] = (),
    keep: Sequence[str] = (),
    prefer: str | None = None,
    trace: str | Path | Sequence[str | Path] = (),
    traced: bool = False,
    tls: int = 0,
    air: bool = False,
    rtt: float = 0.0,
    loss: float = 0.0,
    measured: str | Path | None = None,
    no_measured: bool = False,
    median: bool = False,
    extrapolate: bool = False,
    front: str | None = None,
    progress: OnProgress | None = None,
) -> TuneResult:
    """Finds the configuration with the most memory, or speed, that has all that is needed.

    `files`: the configuration to start from; without them that of the folder `project`, or the
    defaults of `chip`. `need`: what it
    must have, as "free>=150KB", "tcp_rx>=20" or, with a `trace`, "contiguous>=16717". `keep`:
    options that stay as they are. `prefer`: what there should be most of. `trace`: a trace that
    must fit too, or traces of variants, of which the best is taken; `traced`: it has the system's
    own blocks too. `tls`: sessions at the same time. `air`, `rtt`, `loss` and `measured`: as for
    predict(). `median`: holds needs at the median, not at the lower bound. `extrapolate`: tries all
    values of Kconfig. `front`: also the front of memory against this throughput. InputError: an
    input cannot be used. Where no configuration has all that is needed, `best` is None and
    `relaxation` tells how much less would do.
    """
    environment = placed(air=air, rtt=rtt, loss=loss)
    board = None if measured is None else Path(measured)
    traces = [Path(one) for one in ([trace] if isinstance(trace, (str, Path)) else trace)]
    wanted = parse_tune_needs(need)
    kept = parse_keep(keep)
    if prefer is not None:
        known(printable(prefer), PREFERENCES, noun="--prefer")
    if front is not None:
        known(printable(front), METRICS, noun="throughput")
    pieces = [int(need.amount) for need in wanted if need.target == CONTIGUOUS]
    if pieces and not traces:
        raise InputError(
            "--need contiguous: what stays in one piece depends on what the program does",
            remedy="give a trace of it: --trace T.hst",
        )
    wanted = tuple(need for need in wanted if need.target != CONTIGUOUS)
    if tls and traces:
        raise InputError(
            "--tls and --trace: the program's sessions are in its trace",
            remedy="leave --tls out, or the trace",
        )
    config, paths, notes = _config(
        chip, files, idf, project=None if project is None else Path(project)
    )
    if psram is not None:
        config = with_psram(config, psram)
    unread = left_out(config)
    scene = MemoryScene(config=config, minor=minor_of_config(config, idf), demand=Demand(tls=tls))
    memory = MemoryModel(scene=scene)
    modes = choose_tls(memory) if tls else None
    best_config = config if modes is None else config.changed_to(modes.lines)
    own, said = measured_of(paths, measured=board, no_measured=no_measured, chip=chip, idf=idf)
    notes = (*notes, *unread, *said)
    problem = Problem.of(
        best_config,
        calibrated(read_constants(), own),
        idf=idf,
        keep=kept,
        median=median,
        extrapolate=extrapolate,
        environment=environment,
        memory=with_own(memory.of(best_config), own),
    )
    question = TuneQuestion(needs=wanted, prefer=prefer or default_preference(wanted), keep=kept)
    if traces:
        if not traced:
            notes += tuple(said for one in traces for said in twice(one, remedy="--traced"))
        result = by_replays(
            problem,
            question,
            traces,
            sum(pieces),
            notes,
            phase(progress, "replays", parts=True),
            traced=traced,
        )
        wanted = result.needs
    else:
        result = answer(problem, question, notes=notes)
    if modes is not None:
        # the answer's own starting point has the new mode's memory
        before, after = modes.now.internal_bytes, modes.best.internal_bytes
        result = replace(result, tls=modes, now=less(result.now, (before - after) / 1024))
    if front is None:
        return result
    from heapscope.tune.front import pareto_front

    points = pareto_front(
        problem, front, wanted, progress=phase(progress, "points of the front", parts=True)
    )
    return replace(result, front=points, front_metric=front, programmes=problem.solved)


def tune_ranks(chip: str | None = None, *, progress: OnProgress | None = None) -> RankGains:
    """Compares each published configuration of a chip, or of all chips, with the best one."""
    rows = ranks()
    if chip is not None:
        valid = list(dict.fromkeys(row.knobs.chip for row in rows))
        known(printable(chip), valid, noun="chip of the rank tables")
        rows = tuple(row for row in rows if row.knobs.chip == chip)
    return RankGains(tuple(rank_gains(rows, phase(progress, "ranks", parts=True))))


def _config(
    chip: str | None, files: Sequence[str | Path], idf: str | None, *, project: Path | None
) -> tuple[Config, tuple[Path, ...], tuple[str, ...]]:
    """The configuration to start from, its files, and notes."""
    if files or project is not None:
        chosen = choose_config(files, chip=chip, idf=idf, project=project)
        return chosen.config, chosen.paths, chosen.notes
    chips = chip_files()
    if chip is None:
        raise InputError(
            "neither --chip nor --sdkconfig", remedy=f"give --chip: {', '.join(chips)}"
        )
    known(printable(chip), chips, noun="chip")
    sdk = find_release(idf or DEFAULT_IDF).name
    note = f"no --sdkconfig: from the defaults of {chip}, ESP-IDF {sdk}"
    return settle((), chip=chip, sdk=sdk), (), (note,)
