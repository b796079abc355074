"""The content of heapscope.toml: budgets, and the runs that they are held against."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.fleet.budgets.budget import KINDS, Budget, budgets_of
from heapscope.fleet.budgets.toml_lines import TomlLines, toml_lines
from heapscope.memory.layout.toml_text import read_toml_text
from heapscope.memory.options import DECLARED, STATIC_FILES, MemoryOptions
from heapscope.simulation.jitter.runs import Jitter

NAME = "heapscope.toml"
_TOP = ("memory", "budget", "run", "baseline", "jitter")
_JITTER = ("runs", "seed", "strength")
RUNS = 100  #: perturbed runs, where the file does not say
_INPUTS = ("trace", "log", "config", "build")
_RUN = ("name", *_INPUTS, "suppress", "calls", "budget")
#: Options that may be lists: the run is made once for each of their values.
SEVERAL = ("chip", "idf", "arduino", "sdkconfig", "boot_log", *STATIC_FILES)
#: Budgets that only other commands tell.
_ELSEWHERE = ("worse", "left_out")
_MOST = 200  # files of one run


@dataclass(frozen=True, kw_only=True)
class CheckRun:
    """`traces` are recordings of the same: each keeps the budgets, and the baseline learns from
    them how much the figures vary. `builds`: folders or files; `calls`: known calls of their code.
    `memories`: one for each chip and release. `own`: budgets of this run; `shared`: those of the
    whole file."""

    name: str
    traces: tuple[Path, ...] = ()
    logs: tuple[Path, ...] = ()
    configs: tuple[Path, ...] = ()
    builds: tuple[Path, ...] = ()
    suppress: Path | None = None
    calls: Path | None = None
    memories: tuple[MemoryOptions, ...] = ()
    own: tuple[Budget, ...] = ()
    shared: tuple[Budget, ...] = ()
    line: int = 0

    @property
    def budgets(self) -> tuple[Budget, ...]:
        """A budget of the run takes the place of the file's budget of that name."""
        names = {budget.name for budget in self.own}
        return (*self.own, *(one for one in self.shared if one.name not in names))


@dataclass(frozen=True, kw_only=True)
class CheckPlan:
    """`tolerance`: the percentage by which a figure may be worse than the baseline's. `jitter`:
    how runs are perturbed."""

    file: str
    runs: tuple[CheckRun, ...]
    tolerance: float | None = None
    jitter: Jitter = field(default_factory=lambda: Jitter(runs=RUNS))
    read: tuple[Path, ...] = ()


def read_plan(path: str | Path) -> CheckPlan:
    """InputError names the file, the line, the key, the nearest valid one and the remedy."""
    text = read_toml_text(path, what="budgets")
    try:
        values = tomllib.loads(text.text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"{text.file}: not TOML: {error}", remedy="write it as docs/reference/check.md shows"
        ) from None
    return _Reader(text.file, Path(path).parent, toml_lines(text.text)).plan(values)


class _Reader:
    def __init__(self, file: str, folder: Path, lines: TomlLines) -> None:
        self._file, self._folder, self._lines = file, folder, lines

    def plan(self, values: dict[str, Any]) -> CheckPlan:
        self._keys(values, _TOP)
        memory = self._table(values.get("memory", {}), "memory")
        self._keys(memory, tuple(DECLARED), "memory")
        shared = self._budgets(values.get("budget", {}), "budget")
        entries = values.get("run", [])
        if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
            raise self._error(
                "should be an array of tables", ("run",), remedy="write it as [[run]]"
            )
        if not entries:
            raise InputError(
                f"{self._file}: no [[run]] in it, so there is nothing to look at",
                remedy='add [[run]] with trace = "T.hst", log = "device.log", or '
                'config = "sdkconfig"',
            )
        runs = tuple(self._run(one, n, memory, shared) for n, one in enumerate(entries))
        self._distinct(runs)
        for budget in shared:
            if not any(_can_tell(run, budget) for run in runs):
                raise self._at(
                    budget.line,
                    f"budget {budget.name}: no run has an input that tells it",
                    remedy=f"add one to a run: {_inputs_for(budget)}",
                )
        baseline = self._table(values.get("baseline", {}), "baseline")
        self._keys(baseline, ("tolerance",), "baseline")
        tolerance = None
        if "tolerance" in baseline:
            text = str(baseline["tolerance"]).strip().removesuffix("%").strip()
            try:
                tolerance = float(text)
            except ValueError:
                tolerance = -1.0
            if not 0 <= tolerance <= 1000:
                raise self._error(
                    f"'{printable(text)}' is not a percentage",
                    ("baseline", "tolerance"),
                    remedy='write it as "2%"',
                )
        jitter = self._jitter(values.get("jitter", {}))
        return CheckPlan(file=self._file, runs=runs, tolerance=tolerance, jitter=jitter)

    def _jitter(self, values: Any) -> Jitter:
        table = self._table(values, "jitter")
        self._keys(table, _JITTER, "jitter")
        for name, one in table.items():
            if isinstance(one, bool) or not isinstance(
                one, int | (float if name == "strength" else int)
            ):
                raise self._error(
                    "is not a number", ("jitter", name), remedy=f"for example: {name} = 1"
                )
        jitter = Jitter(**{"runs": RUNS, **table})
        try:
            jitter.check()
        except InputError as error:
            line = self._lines.line("jitter")
            raise self._at(line, f"[jitter]: {error.message}", remedy=error.remedy) from None
        return jitter

    def _run(
        self,
        values: dict[str, Any],
        number: int,
        memory: dict[str, Any],
        shared: tuple[Budget, ...],
    ) -> CheckRun:
        place = ("run", number)
        self._keys(values, (*_RUN, *DECLARED), *place)
        inputs = {name: self._paths(values.get(name, []), *place, name) for name in _INPUTS}
        options = memory | {name: one for name, one in values.items() if name in DECLARED}
        first = next((path for paths in inputs.values() for path in paths), None)
        if first is None and not set(STATIC_FILES) & set(options):
            raise self._error(
                "the run has no input",
                place,
                remedy="add trace, log, config, build, elf, map or bin",
            )
        line = self._lines.line(*place)
        name = str(values.get("name", "")) or (first.stem if first else f"run {number + 1}")
        suppress = self._paths(values.get("suppress", []), *place, "suppress")
        calls = self._paths(values.get("calls", []), *place, "calls")
        run = CheckRun(
            name=printable(name, limit=100),
            traces=inputs["trace"],
            logs=inputs["log"],
            configs=inputs["config"],
            builds=inputs["build"],
            suppress=suppress[0] if suppress else None,
            calls=calls[0] if calls else None,
            memories=tuple(self._memories(options, place)),
            own=self._budgets(values.get("budget", {}), *place, "budget"),
            line=line,
            shared=shared,
        )
        for budget in run.own:
            if not _can_tell(run, budget):
                raise self._at(
                    budget.line,
                    f"budget {budget.name}: run '{run.name}' has no input that tells it",
                    remedy=f"add one: {_inputs_for(budget)}",
                )
        return run

    def _memories(
        self, options: dict[str, Any], place: tuple[str | int, ...]
    ) -> Iterator[MemoryOptions]:
        """One mapping for each combination of the options that are lists."""
        built: dict[str, list[Any]] = {}
        for name, value in options.items():
            several = isinstance(value, list)
            if several and (name not in SEVERAL or not value):
                if name == "allocator" and value:
                    built[name] = [",".join(map(str, value))]
                    continue
                raise self._error(
                    "is a list", (*place, name), remedy=f"lists may be {', '.join(SEVERAL)}"
                )
            for one in value if several else [value]:
                if not isinstance(one, str | int | float | bool):
                    raise self._error(
                        "is neither a text nor a number", (*place, name), remedy="give one value"
                    )
            values: list[Any] = list(value) if several else [value]
            if DECLARED[name].file:
                values = [one if one == "none" else self._folder / str(one) for one in values]
            built[name] = [
                one if isinstance(one, bool | int | Path) else str(one) for one in values
            ]
        for chosen in itertools.product(*built.values()):
            yield cast(MemoryOptions, dict(zip(built, chosen, strict=True)))

    def _budgets(self, values: Any, *place: str | int) -> tuple[Budget, ...]:
        table = self._table(values, *place)
        self._keys(table, tuple(name for name in KINDS if name not in _ELSEWHERE), *place)
        budgets: list[Budget] = []
        for kind, value in table.items():
            parts: list[tuple[Any, tuple[str | int, ...]]] = [(value, (*place, kind))]
            if isinstance(value, Mapping) and KINDS[kind].qualifier:
                parts = [({name: one}, (*place, kind, name)) for name, one in value.items()]
            for part, where in parts:
                line = self._lines.line(*where)
                try:
                    budgets += budgets_of(kind, part, line=line)
                except InputError as error:
                    raise self._at(line, error.message, remedy=error.remedy) from None
        return tuple(budgets)

    def _paths(self, value: Any, *place: str | int) -> tuple[Path, ...]:
        """Files relative to that of the budgets; patterns stand for those that there are."""
        names = value if isinstance(value, list) else [value]
        if not all(isinstance(name, str) and name for name in names):
            raise self._error(
                "should be the name of a file", place, remedy="give a name or a list of them"
            )
        results: list[Path] = []
        for name in names:
            matches = [self._folder / name]
            if any(sign in name for sign in "*?[") and not matches[0].exists():
                base = Path(name)
                start = Path(base.anchor) if base.is_absolute() else self._folder
                matches = sorted(start.glob(str(base.relative_to(base.anchor))))
                if not matches:
                    raise self._error(
                        f"no file matches '{printable(name)}'", place, remedy="check the pattern"
                    )
            results += matches
        if len(results) > _MOST:
            raise self._error(f"{len(results)} files", place, remedy=f"give at most {_MOST}")
        return tuple(results)

    def _table(self, value: Any, *place: str | int) -> dict[str, Any]:
        if not isinstance(value, dict):
            name = place[-1]
            raise self._error("should be a table", place, remedy=f"write it as [{name}]")
        return value

    def _keys(self, table: Mapping[str, Any], valid: Sequence[str], *place: str | int) -> None:
        for key in table:
            if key not in valid:
                hint = did_you_mean(key, valid)
                raise self._error(
                    "unknown key", (*place, key), remedy=f"{hint}valid: {', '.join(valid)}"
                )

    def _distinct(self, runs: Sequence[CheckRun]) -> None:
        seen: dict[str, int] = {}
        for run in runs:
            if run.name in seen:
                raise self._at(
                    run.line,
                    f"two runs are called '{run.name}', the first in line {seen[run.name]}",
                    remedy='give each a name: name = "soak"',
                )
            seen[run.name] = run.line

    def _error(self, why: str, place: Sequence[str | int], *, remedy: str) -> InputError:
        key = printable(str(place[-1] if isinstance(place[-1], str) else place[-2]))
        return self._at(self._lines.line(*place), f"{key}: {why}", remedy=remedy)

    def _at(self, line: int, message: str, *, remedy: str) -> InputError:
        at = f", line {line}" if line else ""
        return InputError(f"{self._file}{at}: {message}", remedy=remedy)


def _can_tell(run: CheckRun, budget: Budget) -> bool:
    return bool(set(KINDS[budget.kind].tells) & tells(run))


def tells(run: CheckRun) -> set[str]:
    """The answers that a run's inputs give."""
    results = set()
    if run.traces:
        results |= {"replay", "survey", "leaks", "fit", "perturbed"}
    if run.logs:
        results.add("log")
    if run.configs:
        results.add("config")
    if run.builds:
        results.add("ram")
    if any(set(STATIC_FILES) & set(memory) for memory in run.memories):
        results.add("static")
    return results


_BY = {
    "replay": 'trace = "T.hst"',
    "survey": 'trace = "T.hst"',
    "leaks": 'trace = "T.hst"',
    "fit": 'trace = "T.hst"',
    "perturbed": 'trace = "T.hst"',
    "log": 'log = "device.log"',
    "config": 'config = "sdkconfig"',
    "static": 'elf = "firmware.elf"',
    "ram": 'build = "build"',
}


def _inputs_for(budget: Budget) -> str:
    results = (_BY[one] for one in KINDS[budget.kind].tells if one in _BY)
    return " or ".join(dict.fromkeys(results))


def build_run(
    name: str,
    *,
    traces: Sequence[Path],
    logs: Sequence[Path],
    memory: Mapping[str, Any],
    budgets: Sequence[Budget],
) -> CheckRun:
    """A run that no file describes. InputError: a budget that none of its inputs tells."""
    run = CheckRun(
        name=printable(name, limit=100),
        traces=tuple(traces),
        logs=tuple(logs),
        memories=(cast(MemoryOptions, dict(memory)),),
        own=tuple(budgets),
    )
    for budget in budgets:
        if not _can_tell(run, budget):
            raise InputError(
                f"budget {budget.name}: there is no input that tells it",
                remedy=f"give one: {_inputs_for(budget)}",
            )
    return run
