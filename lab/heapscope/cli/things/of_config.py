"""A configuration: the faults that `lint` finds, and the memory that `predict` leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.wording import plural
from heapscope.cli.things.pieces import ThingOptions, command, counted, in_bytes, word
from heapscope.cli.verbs.lint import lint
from heapscope.cli.verbs.predict import predict
from heapscope.config.lint.finding import LintResult
from heapscope.forecast.predict.prediction import Prediction
from heapscope.trace.things.answer import NextCommand, ThingAnswer, ThingFigure
from heapscope.trace.things.kind import OTHER
from heapscope.trace.things.thing import Thing

DEFAULT_CHIP = "esp32"  # the target that ESP-IDF builds for where nothing names one
_FEW = 4  # options of which the owner is not known


@dataclass(frozen=True, kw_only=True)
class ConfigAnswer:
    """`foreign`: most of its options are those of no release of ESP-IDF."""

    lint: LintResult
    forecast: Prediction | None
    assumed: tuple[str, ...]
    device: tuple[str, ...]
    foreign: bool


def answer_of_config(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """InputError: it cannot be read."""
    result = config_answer([thing.name], requested)
    if result.foreign:
        return _foreign(thing, result)
    words = (thing.name, *result.device)
    return ThingAnswer(
        thing=thing.shown,
        kind="sdkconfig",
        what=(
            f"{thing.kind.known_as} for {result.lint.chip}, ESP-IDF {result.lint.idf}, "
            f"{plural(result.lint.listed, 'option')} of it"
        ),
        answer=sentence(result),
        figures=tuple(figures(result)),
        next=tuple(next_of_config(words, result)),
        notes=result.assumed,
    )


def config_answer(
    files: Sequence[str],
    requested: ThingOptions,
    *,
    project: Path | None = None,
    elf: Path | None = None,
    chip: str | None = None,
) -> ConfigAnswer:
    """`chip`: the one that a build names. InputError: it cannot be read."""
    given = requested.chip or chip
    try:
        result = lint(*files, chip=given, idf=requested.idf, project=project)
        assumed: tuple[str, ...] = ()
    except InputError as error:
        if given is not None or not error.message.startswith("no --chip"):
            raise
        given = DEFAULT_CHIP
        result = lint(*files, chip=given, idf=requested.idf, project=project)
        assumed = (f"no line names a chip: taken for {given}, as ESP-IDF does",)
    guessed = tuple(note for note in result.notes if note.startswith("ESP-IDF"))
    idf = () if requested.idf is None else ("--idf", requested.idf)
    foreign = project is None and result.options >= _FEW and result.listed * 2 < result.options
    forecast = None
    if not foreign:
        forecast = predict(*files, chip=given, idf=requested.idf, project=project, elf=elf)
    return ConfigAnswer(
        lint=result,
        forecast=forecast,
        assumed=(*assumed, *guessed[:1]),
        device=(*(() if given is None else ("--chip", given)), *idf),
        foreign=foreign,
    )


def sentence(result: ConfigAnswer) -> str:
    hard = [one for one in result.lint.findings if one.hard]
    sound = f"{plural(len(hard), 'error')} in it" if hard else "No error in it"
    if hard:
        first = hard[0]
        sound += f", first {printable(first.place, limit=120)} ({first.rule})"
    if result.forecast is None:
        return f"{sound}."
    left = result.forecast.left
    return (
        f"{sound}; with all of it at work about {left.median / 1024:,.0f} KB of internal memory "
        f"are left, in 80 % of all cases {left.low_80 / 1024:,.0f} to "
        f"{left.high_80 / 1024:,.0f} KB."
    )


def figures(result: ConfigAnswer) -> Iterator[ThingFigure]:
    advice = sum(not one.hard for one in result.lint.findings)
    errors = len(result.lint.findings) - advice
    if result.forecast is None:
        yield counted("errors", errors)
        return
    if errors or advice:
        yield word("findings", f"{plural(errors, 'error')}, {advice} of advice")
    else:
        yield counted("errors", 0)
    states = result.forecast.states
    if "app_main" in states:
        yield in_bytes("free at app_main", states["app_main"].dram.median)
    yield in_bytes("free at work", result.forecast.left.median)


def next_of_config(words: Sequence[str], result: ConfigAnswer) -> Iterator[NextCommand]:
    if result.lint.findings:
        yield command("lint", *words, why="each finding, and the line to write")
        yield command("predict", *words, why="memory part by part, and throughput")
    else:
        yield command("predict", *words, why="memory part by part, and throughput")
        yield command("predict", *words, "--tls", "1", why="the same with a TLS session")


def _foreign(thing: Thing, result: ConfigAnswer) -> ThingAnswer:
    others = result.lint.options - result.lint.listed
    return ThingAnswer(
        thing=thing.shown,
        kind=OTHER,
        what="lines of Kconfig, most of another system than ESP-IDF",
        answer=(
            f"Not judged: {others:,} of its {result.lint.options:,} options are in no file of "
            f"ESP-IDF {result.lint.idf} for {result.lint.chip}."
        ),
        figures=(
            counted("options", result.lint.options),
            counted("of ESP-IDF", result.lint.listed),
        ),
        next=(command("lint", thing.name, *result.device, why="if it is ESP-IDF's all the same"),),
    )
