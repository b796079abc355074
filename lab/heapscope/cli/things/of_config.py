"""A configuration: the faults that `lint` finds, and the memory that `predict` leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.wording import plural
from heapscope.cli.things.said import AskedOfThing, command, counted, in_bytes, word
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


def answer_of_config(thing: Thing, asked: AskedOfThing) -> ThingAnswer:
    """InputError: it cannot be read."""
    found = config_answer([thing.name], asked)
    if found.foreign:
        return _foreign(thing, found)
    words = (thing.name, *found.device)
    return ThingAnswer(
        thing=thing.shown,
        kind="sdkconfig",
        what=(
            f"{thing.kind.known_as} for {found.lint.chip}, ESP-IDF {found.lint.idf}, "
            f"{plural(found.lint.listed, 'option')} of it"
        ),
        answer=sentence(found),
        figures=tuple(figures(found)),
        next=tuple(next_of_config(words, found)),
        notes=found.assumed,
    )


def config_answer(
    files: Sequence[str],
    asked: AskedOfThing,
    *,
    project: Path | None = None,
    elf: Path | None = None,
    chip: str | None = None,
) -> ConfigAnswer:
    """`chip`: the one that a build names. InputError: it cannot be read."""
    given = asked.chip or chip
    try:
        found = lint(*files, chip=given, idf=asked.idf, project=project)
        assumed: tuple[str, ...] = ()
    except InputError as error:
        if given is not None or not error.message.startswith("no --chip"):
            raise
        given = DEFAULT_CHIP
        found = lint(*files, chip=given, idf=asked.idf, project=project)
        assumed = (f"no line names a chip: taken for {given}, as ESP-IDF does",)
    guessed = tuple(note for note in found.notes if note.startswith("ESP-IDF"))
    idf = () if asked.idf is None else ("--idf", asked.idf)
    foreign = project is None and found.options >= _FEW and found.listed * 2 < found.options
    forecast = None
    if not foreign:
        forecast = predict(*files, chip=given, idf=asked.idf, project=project, elf=elf)
    return ConfigAnswer(
        lint=found,
        forecast=forecast,
        assumed=(*assumed, *guessed[:1]),
        device=(*(() if given is None else ("--chip", given)), *idf),
        foreign=foreign,
    )


def sentence(found: ConfigAnswer) -> str:
    hard = [one for one in found.lint.findings if one.hard]
    sound = f"{plural(len(hard), 'error')} in it" if hard else "No error in it"
    if hard:
        first = hard[0]
        sound += f", first {printable(first.place, limit=120)} ({first.rule})"
    if found.forecast is None:
        return f"{sound}."
    left = found.forecast.left
    return (
        f"{sound}; with all of it at work about {left.median / 1024:,.0f} KB of internal memory "
        f"are left, in 80 % of all cases {left.low_80 / 1024:,.0f} to "
        f"{left.high_80 / 1024:,.0f} KB."
    )


def figures(found: ConfigAnswer) -> Iterator[ThingFigure]:
    advice = sum(not one.hard for one in found.lint.findings)
    errors = len(found.lint.findings) - advice
    if found.forecast is None:
        yield counted("errors", errors)
        return
    if errors or advice:
        yield word("findings", f"{plural(errors, 'error')}, {advice} of advice")
    else:
        yield counted("errors", 0)
    states = found.forecast.states
    if "app_main" in states:
        yield in_bytes("free at app_main", states["app_main"].dram.median)
    yield in_bytes("free at work", found.forecast.left.median)


def next_of_config(words: Sequence[str], found: ConfigAnswer) -> Iterator[NextCommand]:
    if found.lint.findings:
        yield command("lint", *words, why="each finding, and the line to write")
        yield command("predict", *words, why="memory part by part, and throughput")
    else:
        yield command("predict", *words, why="memory part by part, and throughput")
        yield command("predict", *words, "--tls", "1", why="the same with a TLS session")


def _foreign(thing: Thing, found: ConfigAnswer) -> ThingAnswer:
    others = found.lint.options - found.lint.listed
    return ThingAnswer(
        thing=thing.shown,
        kind=OTHER,
        what="lines of Kconfig, most of another system than ESP-IDF",
        answer=(
            f"Not judged: {others:,} of its {found.lint.options:,} options are in no file of "
            f"ESP-IDF {found.lint.idf} for {found.lint.chip}."
        ),
        figures=(
            counted("options", found.lint.options),
            counted("of ESP-IDF", found.lint.listed),
        ),
        next=(command("lint", thing.name, *found.device, why="if it is ESP-IDF's all the same"),),
    )
