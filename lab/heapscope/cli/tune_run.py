"""A question of tune as the command line asks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from heapscope.cli.choices import known
from heapscope.cli.config_choice import DEFAULT_IDF, built_config, choose_config
from heapscope.cli.place_options import measured_of
from heapscope.cli.progress import progress_bar
from heapscope.config.config import Config, settle
from heapscope.config.tables import CHIPS, option_table
from heapscope.errors import HeapscopeError, InputError
from heapscope.layout.versions import parse_idf
from heapscope.measure.wording import plural
from heapscope.predict.calibrate import calibrated
from heapscope.predict.config_knobs import knobs_of
from heapscope.predict.constants import read_constants
from heapscope.predict.environment import Environment
from heapscope.predict.wifi_table import METRICS, ranks
from heapscope.trace.names import printable
from heapscope.tune.needs import CONTIGUOUS, PREFERENCES, TuneNeed, parse_keep, parse_tune_needs
from heapscope.tune.options import knob_of, out_of_range
from heapscope.tune.problem import Problem, with_psram
from heapscope.tune.question import TuneQuestion, answer, default_preference
from heapscope.tune.result import Companion, TuneResult, TuneTrace, less
from heapscope.tune.tls import beside, choose_tls, recorded_variant
from heapscope.tune.wifi import FREE

if TYPE_CHECKING:
    from heapscope.tune.ranks import RankGain

__all__ = ["run_ranks", "run_tune"]


def run_tune(
    *,
    chip: str | None,
    files: Sequence[Path],
    idf: str | None,
    psram: str | None,
    needs: Sequence[str],
    keep: Sequence[str],
    prefer: str | None,
    median: bool,
    extrapolate: bool,
    front: str | None,
    environment: Environment,
    measured: Path | None = None,
    no_measured: bool = False,
    tls: int = 0,
    traces: Sequence[Path] = (),
) -> TuneResult:
    """HeapscopeError names what is wrong with an option or with a line of the files."""
    wanted = parse_tune_needs(needs)
    kept = parse_keep(keep)
    if prefer is not None:
        known(printable(prefer), PREFERENCES, noun="--prefer")
    if front is not None:
        known(printable(front), METRICS, noun="throughput")
    pieces = [int(need.amount) for need in wanted if need.target == CONTIGUOUS]
    if pieces and not traces:
        raise HeapscopeError(
            "--need contiguous: what stays in one piece depends on what the program does",
            remedy="give a trace of it: --trace T.hst",
        )
    wanted = tuple(need for need in wanted if need.target != CONTIGUOUS)
    if tls and traces:
        raise HeapscopeError(
            "--tls and --trace: the program's sessions are in its trace",
            remedy="leave --tls out, or the trace",
        )
    config, notes = _config(chip, files, idf)
    _check_lines(config)
    if psram is not None:
        config = with_psram(config, psram)
    config, left_out = built_config(config)
    read = knobs_of(config, idf=idf)
    modes = choose_tls(config, read.knobs, tls) if tls else None
    best_config = config if modes is None else config.changed_to(modes.lines)
    before, after = (beside(each, read.knobs, tls) for each in (config, best_config))
    now_kb, taken_kb = sum(before.values()), sum(after.values())
    own, said = measured_of(files, measured=measured, no_measured=no_measured, chip=chip, idf=idf)
    notes = (*notes, *left_out, *said)
    if taken_kb:
        who = " and ".join(after)
        notes = (
            *notes,
            f"free is without what {who} take: {now_kb:.1f} KB now, {taken_kb:.1f} then",
        )
    problem = Problem.of(
        best_config,
        calibrated(read_constants(), own),
        idf=idf,
        keep=kept,
        median=median,
        extrapolate=extrapolate,
        environment=environment,
        taken_kb=taken_kb,
    )
    question = TuneQuestion(needs=wanted, prefer=prefer or default_preference(wanted), keep=kept)
    if traces:
        result = _by_replays(problem, question, traces, sum(pieces), notes)
        wanted = tuple(each.need for each in result.needs)
    else:
        result = answer(problem, question, notes=notes)
    if modes is not None:
        # the answer's own starting point has the new mode's memory
        result = replace(result, tls=modes, now=less(result.now, now_kb - taken_kb))
    if front is None:
        return result
    from heapscope.tune.front import pareto_front

    with progress_bar("points of the front", parts=True) as bar:
        points = pareto_front(problem, front, wanted, progress=bar)
    return replace(result, front=points, front_metric=front, solved=problem.solved)


def _by_replays(
    problem: Problem,
    question: TuneQuestion,
    traces: Sequence[Path],
    contiguous: int,
    notes: Sequence[str],
) -> TuneResult:
    """The best of the program's variants, each with a trace of its own: no model knows what a TLS
    mode allocates when, so each is asked. Of equals, the one that needs least."""

    def worth(result: TuneResult) -> tuple[bool, float, float]:
        least = -result.relaxation.share if result.relaxation else 0.0
        if result.best is not None:
            least = round(problem.amount(question.prefer, result.best), 3)
        fits = result.replay.fits_from_kb if result.replay else 0.0
        return result.best is not None, least, -fits

    found = [_by_replay(problem, question, trace, contiguous, notes) for trace in traces]
    best = max(found, key=worth)
    others = [each.replay for each in found if each is not best and each.replay is not None]
    said = [f"{Path(o.trace).name} needs {o.fits_from_kb:.2f} KB: not taken" for o in others]
    return replace(best, notes=(*best.notes, *said))


def _by_replay(
    problem: Problem, question: TuneQuestion, trace: Path, contiguous: int, notes: Sequence[str]
) -> TuneResult:
    """Solve, replay, cut, until the replay agrees."""
    from heapscope.cli.recorded import recorded_facts  # most questions replay nothing
    from heapscope.tune.replayed import STEP_KB, TraceNeed

    with progress_bar("replays", parts=True) as bar:
        need = TraceNeed(
            trace=trace,
            config=problem.config,
            contiguous=contiguous,
            progress=lambda done: bar(done, None),
        )
        floor = need.least()
        while True:
            result = answer(problem, _with_free(question, floor), notes=notes)
            free = None if result.best is None else problem.amount(FREE, result.best)
            if free is None or need.survives(free):
                break
            need.refused += 1
            floor = free + STEP_KB
    piece = f" with {contiguous:,} bytes always in one piece" if contiguous else ""
    said = (
        f"{trace.name} fits{piece} from {floor:.2f} KB on of the memory that Wi-Fi, lwIP and the "
        f"SDK's tasks leave to the program ({need.replays} replays)"
    )
    if need.unmet:
        said += f"; {plural(need.unmet, 'request')} that no memory of the chip serves left aside"
    facts = TuneTrace(
        trace=str(trace),
        fits_from_kb=floor,
        replays=need.replays,
        refused=need.refused,
        largest_min=None if free is None else need.largest_at(free),
    )
    lines = recorded_variant(problem.config, recorded_facts(trace))
    recorded = tuple(
        Companion(option=name, value=value, reason=f"{trace.name} was recorded with it")
        for name, value in lines.items()
    )
    return replace(
        result,
        companions=(*result.companions, *(recorded if result.best is not None else ())),
        notes=(*result.notes, said),
        replay=facts,
    )


def _with_free(question: TuneQuestion, floor: float) -> TuneQuestion:
    """What the trace needs is a need of memory, where the user has none that is larger."""
    own = [need for need in question.needs if need.target == FREE and need.amount >= floor]
    others = tuple(need for need in question.needs if need.target != FREE)
    mine = own or [TuneNeed(target=FREE, amount=floor, text="--trace")]
    return replace(question, needs=(*others, *mine))


def run_ranks(chip: str | None) -> list[RankGain]:
    """Of one chip, or of all."""
    from heapscope.tune.ranks import rank_gains

    rows = ranks()
    if chip is not None:
        valid = list(dict.fromkeys(row.knobs.chip for row in rows))
        known(printable(chip), valid, noun="chip of the rank tables")
        rows = tuple(row for row in rows if row.knobs.chip == chip)
    with progress_bar("ranks", parts=True) as bar:
        return rank_gains(rows, bar)


def _config(
    chip: str | None, files: Sequence[Path], idf: str | None
) -> tuple[Config, tuple[str, ...]]:
    if files:
        chosen = choose_config(files, chip=chip, idf=idf)
        return chosen.config, chosen.notes
    if chip is None:
        raise HeapscopeError(
            "neither --chip nor --sdkconfig", remedy=f"give --chip: {', '.join(CHIPS)}"
        )
    known(printable(chip), CHIPS, noun="chip")
    sdk = DEFAULT_IDF if idf is None else parse_idf(idf)
    note = f"no --sdkconfig: from the defaults of {chip}, ESP-IDF {sdk}"
    return settle((), chip=chip, sdk=sdk), (note,)


def _check_lines(config: Config) -> None:
    """A line whose value Kconfig does not take is no start."""
    for name, setting in config.settings.items():
        if not knob_of(name):
            continue
        if setting.value is None:
            option = option_table()[name]
            raise InputError(
                f"{setting.file}, line {setting.line}: CONFIG_{printable(setting.written)}="
                f"{printable(setting.text)} is no {option.kind}",
                remedy="mend the line: heapscope lint shows what to write",
            )
        for said in out_of_range(config, {name: setting.value}):
            raise InputError(
                f"{setting.file}, line {setting.line}: {said}",
                remedy="mend the line: heapscope lint shows what to write",
            )
