"""Budgets held against the inputs of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from heapscope.answers.fit.fit_trace import fit
from heapscope.answers.leaks.interval import ROUNDS_LEAST
from heapscope.answers.ram.ram_result import RamResult
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, counted, phase
from heapscope.base.request import parse_requests
from heapscope.base.wording import plural
from heapscope.cli.verbs.leaks import trace_leaks
from heapscope.cli.verbs.logged import LogOptions, one_log
from heapscope.cli.verbs.predict import predict
from heapscope.cli.verbs.ram import ram
from heapscope.cli.verbs.replay import replay
from heapscope.cli.verbs.surveyed import Surveyed, surveyed
from heapscope.fleet.budgets.baseline import (
    Figure,
    figures_of,
    gathered,
)
from heapscope.fleet.budgets.budget import FIT, KINDS, LEAKS, PERTURBED, RAM, REPLAY, SURVEY, Budget
from heapscope.fleet.budgets.check_result import (
    KEPT,
    UNKNOWN,
    BudgetRow,
    ChangeRow,
    CheckResult,
    FigureRow,
)
from heapscope.fleet.budgets.judge import fits, judge_config, judge_fit, judge_leaks, judge_log
from heapscope.fleet.budgets.judge_perturbed import held_budgets, judge_perturbed
from heapscope.fleet.budgets.judge_ram import judge_ram
from heapscope.fleet.budgets.judge_replay import judge_replay, judge_static
from heapscope.fleet.budgets.judgement import Judgement, absent, row_of
from heapscope.fleet.budgets.plan import CheckPlan, CheckRun, read_plan
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.options import STATIC_FILES, MemoryOptions, given
from heapscope.simulation.jitter.replays import perturbed_replays
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.info import read_info
from heapscope.trace.loss import is_cut
from heapscope.trace.provenance import (
    largest_word,
    of_a_part,
    of_unrecorded,
    of_wide_pointers,
    word_size,
)

#: Columns of the survey: it is made for call sites, and nothing is drawn.
COLUMNS = 16


#: Options of the memory that a log and a build take too.
_OF_LOG = ("chip", "idf")


def check_run(run: CheckRun, *, progress: OnProgress | None = None) -> CheckResult:
    """Holds one run against its budgets, which no file names."""
    done = CheckOfRuns(CheckPlan(file="", runs=(run,)), progress)
    done.run(run)
    return result_of(done, [], baseline="")


def result_of(done: CheckOfRuns, moved: list[ChangeRow], *, baseline: str) -> CheckResult:
    rows = tuple(_without_absent(done.rows))
    failing = sum(row.status != KEPT for row in rows)
    worse = sum(row.status == "worse" for row in moved)
    if len(moved) > worse:
        done.notes.append(
            f"{plural(len(moved) - worse, 'figure')} differ from the baseline for the worse; too "
            "few recordings tell whether that is noise. Give a run several recordings, or "
            "[baseline] a tolerance."
        )
    return CheckResult(
        file=done.plan.file,
        verdict=_verdict(rows, worse, bool(baseline)),
        passed=not failing and not worse,
        budgets=rows,
        baseline=baseline,
        changes=tuple(moved),
        notes=tuple(dict.fromkeys(done.notes)),
        figures=tuple(done.figures),
        word_size=largest_word(*done.words),
    )


def inputs_of(file: str | Path) -> Iterator[Path]:
    """The files that a check reads, whose place no output takes."""
    plan = read_plan(file)
    yield Path(file)
    for run in plan.runs:
        yield from (*run.traces, *run.logs, *run.configs, *run.builds)
        yield from () if run.calls is None else (run.calls,)
        for memory in run.memories:
            yield from (one for one in memory.values() if isinstance(one, Path))


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """A row, and what tells whether its input has anything of its name."""

    row: BudgetRow
    budget: Budget
    absent: bool
    shared: bool


@dataclass
class CheckOfRuns:
    plan: CheckPlan
    progress: OnProgress | None
    rows: list[_Judged] = field(default_factory=list)
    figures: list[FigureRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    words: list[int | None] = field(default_factory=list)  # bytes of a pointer, of each trace

    def run(self, run: CheckRun) -> None:
        seen: set[str] = set()
        for options in run.memories:
            label = _label(options)
            if run.traces:
                self._traces(run, options)
            for path in run.logs:
                self._log(run, path, options)
            if run.configs:
                self._config(run, options)
            for path in run.builds:
                self._build(run, path, options)
            if label not in seen and set(STATIC_FILES) & set(options):
                self._static(run, options)
            seen.add(label)
        if run.traces:
            self._fits(run)
            self._leaks(run)

    def _reported(self, run: CheckRun, *tells: str) -> list[Budget]:
        return [budget for budget in run.budgets if set(tells) & set(KINDS[budget.kind].tells)]

    def _add(
        self, run: CheckRun, budget: Budget, moved: Judgement, source: str, memory: str
    ) -> None:
        row = row_of(budget, moved, run=run.name, source=source, memory=memory, file=self.plan.file)
        shared = budget not in run.own
        self.rows.append(_Judged(row=row, budget=budget, absent=moved.absent, shared=shared))

    def _traces(self, run: CheckRun, options: MemoryOptions) -> None:
        budgets = self._reported(run, REPLAY, SURVEY)
        wanted = parse_requests(one.given for one in budgets if one.kind == "need")
        recordings: list[list[Figure]] = []
        memory = ""
        for trace in run.traces:
            built = surveyed(
                trace, given(options), needs=wanted, columns=COLUMNS, progress=self.progress
            )
            result = built.result
            memory = _of_result(result, options)
            for budget in budgets:
                self._add(
                    run, budget, judge_replay(budget, result, built.seen), _name(trace), memory
                )
            for budget in self._reported(run, PERTURBED):
                moved = self._perturbed(run, trace, built)
                self._add(run, budget, moved, _name(trace), memory)
            recordings.append(list(figures_of(result, built.seen)))
            facts = result.trace.metadata
            self.words.append(word_size(facts))
            known = (of_unrecorded, of_a_part, of_wide_pointers)
            stated = (*(one(facts) for one in known), *_lost(result))
            self.notes += [f"{_name(trace)}: {one}" for one in stated if one]
        self.figures += gathered(run.name, memory, recordings)

    def _perturbed(self, run: CheckRun, trace: Path, built: Surveyed) -> Judgement:
        if is_cut(built.result.loss):
            return Judgement(value=None, why="events of the trace are missing")
        held = held_budgets(run.budgets)
        replays = perturbed_replays(
            trace,
            built.memory.layout,
            self.plan.jitter,
            needs=parse_requests(one.given for one in held if one.kind == "need"),
            placement=built.placement,
        )
        tried = counted(self.progress, "perturbed runs")
        return judge_perturbed(held, _each(replays, tried))

    def _fits(self, run: CheckRun) -> None:
        for budget in self._reported(run, FIT):
            for trace in run.traces:
                moved = self._fit(budget, trace)
                self._add(run, budget, moved, _name(trace), budget.qualifier)

    def _fit(self, budget: Budget, trace: Path) -> Judgement:
        """One replay tells whether it fits. How much it takes is searched for where it does not."""
        size, name = int(budget.limit), budget.qualifier
        with suppress(InputError):  # the pool may be too small for any heap; the search says it
            result = replay(trace, pool=size, allocator=name, progress=self.progress)
            if not result.summary.failures:
                return fits(budget, result)
        (smallest,) = fit(
            trace,
            [parse_allocator(name)],
            reading=phase(self.progress, "reading"),
            progress=phase(self.progress, "fitting", parts=True),
        )
        return judge_fit(budget, smallest)

    def _leaks(self, run: CheckRun) -> None:
        for budget in self._reported(run, LEAKS):
            for trace in run.traces:
                self._add(run, budget, self._leak(run, budget, trace), _name(trace), "")

    def _leak(self, run: CheckRun, budget: Budget, trace: Path) -> Judgement:
        mark, rounds = budget.qualifier, 0
        start = end = None
        if mark:
            named = [one for one in read_info(trace).marks if one.name == printable(mark)]
            rounds = len(named) - 1
            if rounds + 1 < ROUNDS_LEAST:
                text = f"mark '{printable(mark)}' comes {rounds + 1} times, fewer than three"
                return absent(text)
            start, end = mark, f"{mark}#{rounds + 1}"
        moved = trace_leaks(
            trace, begin=start, end=end, suppress=run.suppress, progress=self.progress
        )
        return judge_leaks(budget, moved, rounds=rounds)

    def _log(self, run: CheckRun, path: Path, options: MemoryOptions) -> None:
        budgets = self._reported(run, "log")
        if not budgets:
            return
        needs = [one.given for one in budgets if one.kind == "need"]
        needs += [one.qualifier for one in budgets if one.kind == "need_until" and one.qualifier]
        known = {name: _text(options, name) for name in _OF_LOG}
        options_of_log = LogOptions(need=needs, chip=known["chip"], idf=known["idf"])
        result = one_log(path, options_of_log, progress=self.progress)
        memory = ", ".join(filter(None, (result.chip, result.idf)))
        for budget in budgets:
            self._add(run, budget, judge_log(budget, result), _name(path), memory)

    def _config(self, run: CheckRun, options: MemoryOptions) -> None:
        budgets = self._reported(run, "config")
        if not budgets:
            return
        static = options.get("static_dram")
        result = predict(
            *run.configs,
            chip=_text(options, "chip"),
            idf=_text(options, "idf"),
            elf=options.get("elf"),
            map=options.get("map"),
            bin=options.get("bin"),
            static_dram=None if static is None else int(static),
            progress=self.progress,
        )
        memory = f"{result.chip}, ESP-IDF {result.sdk}"
        source = ", ".join(map(_name, run.configs))
        for budget in budgets:
            self._add(run, budget, judge_config(budget, result), source, memory)

    def _build(self, run: CheckRun, path: Path, options: MemoryOptions) -> None:
        budgets = self._reported(run, RAM)
        if not budgets:
            return
        known = {name: _text(options, name) for name in _OF_LOG}
        result = ram(
            str(path),
            known_calls=run.calls,
            chip=known["chip"],
            idf=known["idf"],
            progress=self.progress,
        )
        assert isinstance(result, RamResult)  # of one build
        for budget in budgets:
            memory = f"{result.chip}, ESP-IDF {result.idf}"
            self._add(run, budget, judge_ram(budget, result), _name(path), memory)

    def _static(self, run: CheckRun, options: MemoryOptions) -> None:
        budgets = self._reported(run, "static")
        if not budgets:
            return
        chosen = choose_memory(given(options), run.traces[0] if run.traces else None)
        if chosen.static is None:
            raise InputError(
                f"{self.plan.file}, line {run.line}: run '{run.name}': static budgets need a chip",
                remedy='add chip = "esp32"; pool and layout go without elf, map and bin',
            )
        ram = chosen.static.picture()
        for budget in budgets:
            moved = judge_static(budget, ram)
            self._add(run, budget, moved, ram.file, chosen.static.chip)


def _each(results: Iterator[ReplayResult], then: Callable[[], None]) -> Iterator[ReplayResult]:
    for result in results:
        then()
        yield result


def _without_absent(judged: Sequence[_Judged]) -> Iterator[BudgetRow]:
    """A budget of the whole file need not have its task, site or mark in every input, as long as
    one has it."""
    met = {one.budget for one in judged if not one.absent}
    for one in judged:
        if not (one.absent and one.shared and one.budget in met):
            yield one.row


def _verdict(budgets: Sequence[BudgetRow], worse: int, compared: bool) -> str:
    rows, unknown = len(budgets), sum(row.status == UNKNOWN for row in budgets)
    failing = sum(row.status != KEPT for row in budgets)
    kept = "The budget is kept" if rows == 1 else f"All {rows:,} budgets are kept"
    if not rows:
        kept = "There is no budget"
    elif failing:
        are = "is" if failing == 1 else "are"
        kept = f"{failing:,} of {plural(rows, 'budget')} {are} not kept"
        if unknown == failing:
            kept = f"It cannot be told whether {failing:,} of {plural(rows, 'budget')} {are} kept"
        elif unknown:
            kept = f"{kept}, and of {unknown:,} of them it cannot be told"
    if not compared:
        return f"{kept}."
    if worse:
        are = "is" if worse == 1 else "are"
        return f"{kept}; {plural(worse, 'figure')} {are} worse than in the baseline."
    return f"{kept}; nothing is known to be worse than in the baseline."


def _lost(result: ReplayResult) -> tuple[str, ...]:
    return () if result.loss is None else result.loss.sentences()[:1]


def _label(options: MemoryOptions) -> str:
    return ", ".join(str(value) for value in options.values())


def _of_result(result: ReplayResult, options: MemoryOptions) -> str:
    """Tells the memories of a run apart."""
    facts = result.layout
    sdk = f"ESP-IDF {facts.sdk}" if facts.sdk else ""
    known = dict(options)
    files = [
        Path(str(known[name])).name
        for name in ("boot_log", "sdkconfig", *STATIC_FILES)
        if name in known
    ]
    own = [] if facts.chip else [facts.name, *facts.allocators]
    return ", ".join(filter(None, (facts.chip, sdk, *own, *files)))


def _text(options: MemoryOptions, name: str) -> str | None:
    value = dict(options).get(name)
    return None if value is None else str(value)


def _name(path: Path) -> str:
    return printable(path.as_posix(), limit=400)
