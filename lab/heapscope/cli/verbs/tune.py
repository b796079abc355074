"""Find the best configuration for what is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.choices import known
from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import REQUESTS_MAX, parse_requests
from heapscope.base.sizes import parse_size
from heapscope.cli.verbs.options import (
    Air,
    Bin,
    Chip,
    Elf,
    Idf,
    Loss,
    Map,
    MeasuredFile,
    Needs,
    NoMeasured,
    ProjectFolder,
    Rtt,
    Sdkconfigs,
    StaticDram,
    Tls,
    Traced,
)

if TYPE_CHECKING:
    from heapscope.config.config import Config
    from heapscope.forecast.tune.answer import TuneResult
    from heapscope.forecast.tune.ranks import RankGains


#: An option that is there when Wi-Fi is.
_WIFI = "ESP_WIFI_STATIC_RX_BUFFER_NUM"


def tune(
    *files: Sdkconfigs,
    chip: Chip = None,
    idf: Idf = None,
    project: ProjectFolder = None,
    psram_mode: Annotated[
        str | None, Option("KIND", "none, quad or octal (as the configuration says).")
    ] = None,
    air: Air = False,
    rtt: Rtt = 0.0,
    loss: Loss = 0.0,
    measured: MeasuredFile = None,
    no_measured: NoMeasured = False,
    tls: Tls = 0,
    elf: Elf = None,
    map: Map = None,
    bin: Bin = None,
    static_dram: StaticDram = None,
    trace: Annotated[
        str | Path | Sequence[str | Path],
        Option("T.hst", "The program's own allocations, which must fit too."),
    ] = (),
    traced: Traced = False,
    goal: Annotated[
        Sequence[str],
        Option(
            "G",
            'The least that it must have: "free>=150KB", "tcp_rx>=20" (Mbit/s; also tcp_tx, '
            "udp_rx, udp_tx). May be repeated.",
        ),
    ] = (),
    need: Needs = (),
    keep: Annotated[Sequence[str], Option("OPTION", "Leave it as it is. May be repeated.")] = (),
    trade: Annotated[
        Sequence[str],
        Option(
            "KIND",
            "Give this up for memory: code, features, checks, stacks, queues, psram, memory, "
            "cores, all; or bluetooth, board (code, and only where it must). May be repeated.",
        ),
    ] = (),
    prefer: Annotated[
        str | None,
        Option(
            "WHAT",
            "The figure to make best: free, speed (all throughputs), or one of them "
            "(free; speed where only free is needed).",
        ),
    ] = None,
    median: Annotated[
        bool, Option("", "Hold goals at the median, not at the 80 % lower bound.")
    ] = False,
    extrapolate: Annotated[
        bool, Option("", "Try all of Kconfig's values, not the published ones.")
    ] = False,
    front: Annotated[
        str | None, Option("METRIC", "Also the front of memory against a throughput.")
    ] = None,
    progress: OnProgress | None = None,
) -> TuneResult:
    """Find the configuration with the most memory, or speed, that has all that is needed.

    Exact by the models of `predict`, under every rule that a build, Kconfig or the device enforces,
    over a domain that the answer names. It changes the fewest options of all that are as good.
    It starts from the files, or from the defaults of --chip. Where a map, an ELF or an image of the
    build is given, memory is counted from what that has. --trace is without Wi-Fi's blocks, and
    of several, traces of variants, the best is taken. The buffers of --tls sessions are taken off,
    and their modes compared.
    Exit code 1 when no configuration has all that is needed; then it says what would have to be
    given up for it, and how much less would do.

    Examples:
      heapscope tune --chip esp32 --goal "tcp_rx>=20" --goal "free>=150KB"
      heapscope tune --chip esp32c6 --goal "free>=250KB" --fragment wifi.defaults
      heapscope tune sdkconfig --chip esp32 --keep ESP_WIFI_IRAM_OPT --goal "tcp_rx>=15"
      heapscope tune --chip esp32c3 --goal "free>=240KB" --trade code,features
      heapscope tune --chip esp32 --air --rtt 20 --loss 0.1 --goal "tcp_rx>=3"
      heapscope tune --chip esp32 --tls 2 --goal "tcp_rx>=15" --goal "free>=100KB"
      heapscope tune --chip esp32c3 --front tcp_rx --plot front.svg
      heapscope tune --chip esp32c3 --trace T.hst --need 16717 --prefer tcp_rx
      heapscope tune --ranks --chip esp32c3 --json ranks.json
    """
    from heapscope.config.chosen_config import left_out
    from heapscope.config.value import Value
    from heapscope.forecast.predict.calibrate import calibrated
    from heapscope.forecast.predict.config_knobs import WIFI_OPTIONS
    from heapscope.forecast.predict.constants import read_constants
    from heapscope.forecast.predict.demand import Demand
    from heapscope.forecast.predict.environment import placed
    from heapscope.forecast.predict.forecast import with_own
    from heapscope.forecast.predict.memory_part import not_explained
    from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
    from heapscope.forecast.predict.memory_states import MemoryModel
    from heapscope.forecast.predict.own_board import measured_of
    from heapscope.forecast.predict.psram import psram_notes
    from heapscope.forecast.predict.static_use import static_use
    from heapscope.forecast.predict.wifi_table import METRICS, chips
    from heapscope.forecast.tune.goals import CONTIGUOUS, PREFERENCES, parse_goals, parse_keep
    from heapscope.forecast.tune.problem import Problem, with_psram
    from heapscope.forecast.tune.question import TuneQuestion, answer, default_preference
    from heapscope.forecast.tune.tls import choose_tls
    from heapscope.forecast.tune.traded import TradedQuestion
    from heapscope.forecast.tune.trades import parse_trades, trade_options

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
    asked = [need] if isinstance(need, int | str) else need
    requests = parse_requests((*asked, *pieces), most=REQUESTS_MAX - 1)
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
    build = MemoryScene(config=config, minor=minor_of_config(config, idf), demand=Demand(tls=tls))
    size = None if static_dram is None else parse_size(static_dram, what="--static-dram")
    static = static_use(build, elf=elf, map=map, bin=bin, static_dram=size)
    if psram_mode is not None:
        config = with_psram(config, psram_mode)
    if config.chip in chips() and (config.value(_WIFI) is None or config.lacks(*WIFI_OPTIONS)):
        raise InputError(
            f"ESP-IDF {config.sdk} has no Wi-Fi for the {config.chip} in this configuration",
            remedy="switch Wi-Fi on (ESP_WIFI_ENABLED), or give --idf of a later release",
        )
    unread = left_out(config)
    memory = MemoryModel(scene=build, **vars(static)).of(config)
    modes = choose_tls(memory) if tls else None
    ground = config if modes is None else config.changed_to(modes.lines)
    own, stated = measured_of(paths, measured=board, no_measured=no_measured, chip=chip, idf=idf)
    board_notes = () if psram_mode else psram_notes(memory.scene, "--psram-mode none leaves it out")
    notes = (*not_explained(memory), *notes, *unread, *board_notes, *memory.unlike, *stated)
    if traces and not traced:
        from heapscope.forecast.predict.system_load import twice

        notes += tuple(message for one in traces for message in twice(one, remedy="--traced"))
    question = TuneQuestion(goals=wanted, prefer=prefer or default_preference(wanted), keep=kept)
    constants, start = calibrated(read_constants(), own), with_own(memory, own)

    def memory_of(values: dict[str, Value]) -> MemoryModel:
        return with_own(memory.of(ground.changed_to(values)), own)

    def problem_of(model: MemoryModel) -> Problem:
        return Problem.of(
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

    def answered(problem: Problem, more: Sequence[str]) -> TuneResult:
        if not traces:
            return answer(problem, question, notes=(*notes, *more))
        from heapscope.forecast.tune.by_replay import by_replays  # imports the replay

        replays = phase(progress, "replays", parts=True)
        return by_replays(
            problem, question, traces, requests, (*notes, *more), replays, traced=traced
        )

    asked_for = TradedQuestion(
        question=question,
        memory_of=memory_of,
        problem_of=problem_of,
        answer=answered,
        keep=named,
        traces=bool(traces),
    ).answered(groups)
    problem, result = asked_for.problem, replace(asked_for.result, tls=modes)
    if front is None:
        return result
    from heapscope.forecast.tune.front import pareto_front

    points = pareto_front(
        problem, front, wanted, progress=phase(progress, "points of the front", parts=True)
    )
    return replace(result, front=points, front_metric=front, programmes=problem.solved)


def tune_ranks(chip: str | None = None, *, progress: OnProgress | None = None) -> RankGains:
    """Compares each published configuration of a chip, or of all chips, with the best one."""
    from heapscope.forecast.predict.wifi_table import ranks
    from heapscope.forecast.tune.ranks import RankGains, rank_gains

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
    from heapscope.config.chip_data import chip_files
    from heapscope.config.chosen_config import DEFAULT_IDF, choose_config
    from heapscope.config.config import settle
    from heapscope.config.releases import find_release

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
