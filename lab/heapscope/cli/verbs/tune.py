"""The best configuration for what is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.base.choices import known
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import REQUESTS_MAX, parse_requests
from heapscope.config.chip_data import chip_files
from heapscope.config.chosen_config import DEFAULT_IDF, choose_config, left_out
from heapscope.config.config import Config, settle
from heapscope.config.releases import find_release
from heapscope.config.value import Value
from heapscope.forecast.predict.calibrate import calibrated
from heapscope.forecast.predict.constants import read_constants
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.environment import placed
from heapscope.forecast.predict.forecast import with_own
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.own_board import measured_of
from heapscope.forecast.predict.wifi_table import METRICS, chips, ranks
from heapscope.forecast.tune.answer import TuneResult
from heapscope.forecast.tune.goals import CONTIGUOUS, PREFERENCES, parse_goals, parse_keep
from heapscope.forecast.tune.least_trades import least_trades
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.problem import Problem, with_psram
from heapscope.forecast.tune.question import TuneQuestion, answer, default_preference
from heapscope.forecast.tune.ranks import RankGains, rank_gains
from heapscope.forecast.tune.tls import choose_tls
from heapscope.forecast.tune.trades import (
    CODE,
    Trades,
    TuneTrade,
    parse_trades,
    trade_options,
    values_of,
)

#: An option that is there when Wi-Fi is.
_WIFI = "ESP_WIFI_STATIC_RX_BUFFER_NUM"


def tune(
    *files: str | Path,
    chip: str | None = None,
    idf: str | None = None,
    project: str | Path | None = None,
    psram_mode: str | None = None,
    goal: Sequence[str] = (),
    need: Sequence[int | str] = (),
    keep: Sequence[str] = (),
    trade: Sequence[str] = (),
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
    defaults of `chip`. `goal`: what it
    must have, as "free>=150KB" or "tcp_rx>=20". `need`: requests that must succeed at every moment
    of the `trace`, as for replay(); a goal "contiguous>=16717" is a need. `keep`:
    options that stay as they are. `trade`: kinds of options that may give memory back for something
    that no model weighs, such as "code" or "all"; () takes those of "code", where the goals cannot
    be had without. `prefer`: what there should be most of. `trace`: a trace that must fit
    too, or traces of variants, of which the best is taken; `traced`: it has the system's own blocks
    too. `tls`: sessions at the same time. `air`, `rtt`, `loss` and `measured`: as for predict().
    `median`: holds goals at the median, not at the lower bound. `extrapolate`: tries all values of
    Kconfig. `front`: also the front of memory against this throughput. InputError: an input cannot
    be used. Where no configuration has all that is needed, `best` is None and `relaxation` tells
    how much less would do.
    """
    environment = placed(air=air, rtt=rtt, loss=loss)
    board = None if measured is None else Path(measured)
    traces = [Path(one) for one in ([trace] if isinstance(trace, (str, Path)) else trace)]
    wanted = parse_goals(goal)
    named = frozenset(text.strip().removeprefix("CONFIG_") for text in keep)
    if prefer is not None:
        known(printable(prefer), PREFERENCES, noun="--prefer")
    if front is not None:
        known(printable(front), METRICS, noun="throughput")
    pieces = (int(one.amount) for one in wanted if one.target == CONTIGUOUS)
    requests = parse_requests((*need, *pieces), most=REQUESTS_MAX - 1)
    if requests and not traces:
        raise InputError(
            f"--need {requests[0].text}: what stays in one piece depends on what the program does",
            remedy="give a trace of it: --trace T.hst",
        )
    wanted = tuple(one for one in wanted if one.target != CONTIGUOUS)
    if tls and traces:
        raise InputError(
            "--tls and --trace: the program's sessions are in its trace",
            remedy="leave --tls out, or the trace",
        )
    groups = parse_trades(trade)
    config, paths, notes = _config(
        chip, files, idf, project=None if project is None else Path(project)
    )
    kept = parse_keep(keep, trade_options(config))
    if psram_mode is not None:
        config = with_psram(config, psram_mode)
    if config.chip in chips() and config.value(_WIFI) is None:
        raise InputError(
            f"ESP-IDF {config.sdk} has no Wi-Fi for the {config.chip} in this configuration",
            remedy="switch Wi-Fi on (ESP_WIFI_ENABLED), or give --idf of a later release",
        )
    unread = left_out(config)
    scene = MemoryScene(config=config, minor=minor_of_config(config, idf), demand=Demand(tls=tls))
    memory = MemoryModel(scene=scene)
    modes = choose_tls(memory) if tls else None
    ground = config if modes is None else config.changed_to(modes.lines)
    own, stated = measured_of(paths, measured=board, no_measured=no_measured, chip=chip, idf=idf)
    notes = (*notes, *unread, *stated)
    if traces and not traced:
        from heapscope.forecast.predict.system_load import twice

        notes += tuple(message for one in traces for message in twice(one, remedy="--traced"))
    question = TuneQuestion(goals=wanted, prefer=prefer or default_preference(wanted), keep=kept)
    constants, start = calibrated(read_constants(), own), with_own(memory, own)

    def memory_of(values: dict[str, Value]) -> MemoryModel:
        return with_own(memory.of(ground.changed_to(values)), own)

    def requested(taken: Sequence[TuneTrade]) -> tuple[Problem, TuneResult]:
        model = memory_of(values_of(taken))
        problem = Problem.of(
            model.scene.config,
            constants,
            idf=idf,
            keep=kept,
            median=median,
            extrapolate=extrapolate,
            environment=environment,
            memory=model,
            start=start,
        )
        return problem, answered(problem)

    def answered(problem: Problem) -> TuneResult:
        if not traces:
            return answer(problem, question, notes=notes)
        from heapscope.forecast.tune.by_replay import by_replays  # imports the replay

        replays = phase(progress, "replays", parts=True)
        return by_replays(problem, question, traces, requests, notes, replays, traced=traced)

    trades = Trades(model=memory_of({}), keep=named)
    possible = trades.possible()
    taken = trades.taken(each for each in possible if each.group in groups)
    problem, result = requested(taken)
    if result.best is None and not trade:
        code = trades.taken(each for each in possible if each.group == CODE)
        problem, other = requested(code)
        if other.best is not None:
            result, taken = other, code
            notes += ("the goals cannot be had without: code runs from flash (--trade code)",)
    if taken and result.best is not None and not traces and (question.prefer != FREE or not trade):
        most = question if trade else replace(question, prefer=FREE)
        taken = least_trades(taken, problem, most, memory_of)
        problem, result = requested(taken)
    names = {each.option for each in taken}
    offers = (each for each in possible if each.option not in names)
    stated = ("the throughputs do not count what is given up for memory",) if taken else ()
    result = replace(result, trades=(*taken, *offers), tls=modes, notes=(*result.notes, *stated))
    if front is None:
        return result
    from heapscope.forecast.tune.front import pareto_front

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
    names = chip_files()
    if chip is None:
        raise InputError(
            "neither a configuration nor --chip", remedy=f"give --chip: {', '.join(names)}"
        )
    known(printable(chip), names, noun="chip")
    sdk = find_release(idf or DEFAULT_IDF).name
    note = f"no configuration: from the defaults of {chip}, ESP-IDF {sdk}"
    return settle((), chip=chip, sdk=sdk), (), (note,)
