"""Two things: of one kind they are compared; of two that belong together, a command joins them."""

from __future__ import annotations

from dataclasses import replace

from heapscope.base.wording import signed
from heapscope.cli.things.said import AskedOfThing, command, counted, in_bytes
from heapscope.trace.things.answer import ThingAnswer
from heapscope.trace.things.thing import Thing


def compared(left: Thing, right: Thing, requested: AskedOfThing) -> ThingAnswer | None:
    """None: each is answered by itself. InputError: one of them is damaged."""
    kinds = left.kind.kind, right.kind.kind
    if kinds == ("sdkconfig", "sdkconfig"):
        return _configurations(left, right, requested)
    if kinds == ("trace", "trace"):
        return _traces(left, right, requested)
    if kinds == ("result", "result"):
        return _results(left, right)
    if kinds == ("log", "log"):
        return _logs(left, right)
    return None


def _configurations(left: Thing, right: Thing, requested: AskedOfThing) -> ThingAnswer:
    from heapscope.forecast.ladder.compared import difference_of
    from heapscope.forecast.ladder.side import named_files
    from heapscope.forecast.ladder.sides import SideOptions, levels, sides_of

    options: SideOptions = {"chip": requested.chip, "idf": requested.idf}
    sides = sides_of(named_files([left.name, right.name]), options)
    rungs, _, notes = levels(sides)
    difference = difference_of(*sides)
    total = difference.total.left.dram
    weighty = next((one for one in difference.options if one.gain.left.dram.median), None)
    most = "" if weighty is None else f"; most by {weighty.option}"
    band = f"{signed(total.low_80)} to {signed(total.high_80)}"
    if not difference.options and not difference.unknown:
        answer = "Both have the same value of every option."
    else:
        answer = (
            f"The second leaves {signed(total.median)} B of internal memory at work "
            f"(80 %: {band}){most}."
        )
    devices = dict.fromkeys(f"{rung.chip} with ESP-IDF {rung.release}" for rung in rungs)
    return ThingAnswer(
        thing=f"{left.shown}, {right.shown}",
        kind="sdkconfig",
        what=f"two configurations, for {' and '.join(devices)}",
        answer=answer,
        figures=(
            in_bytes("left by the first", rungs[0].left.median),
            in_bytes("left by the second", rungs[1].left.median),
            counted("options that differ", len(difference.options) + len(difference.unknown)),
        ),
        next=(
            command(
                "compare",
                left.name,
                right.name,
                *requested.device,
                why="what each difference gives",
            ),
            command("lint", right.name, *requested.device, why="is the second one sound?"),
        ),
        notes=notes[:1],
    )


def _logs(left: Thing, right: Thing) -> ThingAnswer | None:
    from heapscope.cli.verbs.compared_logs import compared_logs

    result = compared_logs([left.name, right.name])
    if not result.figures:
        return None
    return ThingAnswer(
        thing=f"{left.shown}, {right.shown}",
        kind="log",
        what="two logs of a device",
        answer=" ".join(result.verdict),
        figures=tuple(in_bytes(f"lost: {row.title}", row.lost) for row in result.figures),
        next=(
            command("compare", left.name, right.name, why="the figures that both have"),
            command("log", right.name, why="all that the second one tells"),
        ),
    )


def _traces(left: Thing, right: Thing, requested: AskedOfThing) -> ThingAnswer | None:
    from heapscope.cli.things.of_trace import replayed
    from heapscope.simulation.result.comparison import compare
    from heapscope.trace.info import read_info

    sides = [replayed(thing.name, read_info(thing.name), requested) for thing in (left, right)]
    if sides[0] is None or sides[1] is None:
        return None
    result = compare(sides[0], sides[1])
    return ThingAnswer(
        thing=f"{left.shown}, {right.shown}",
        kind="trace",
        what="two traces, each on the memory of its device",
        answer=result.conclusion[0] if result.conclusion else "No figure of them differs.",
        figures=tuple(
            in_bytes(f"minimum free of the {which}", side.verdict.facts.minimum_free)
            for which, side in zip(("first", "second"), sides, strict=True)
            if side is not None
        ),
        next=(
            command(
                "compare", left.name, right.name, *requested.device, why="every figure of both"
            ),
        ),
    )


#: The kinds of two things, and the command that joins them: LEFT and RIGHT stand for them.
_JOINED = {
    ("trace", "log"): (
        ("replay", "LEFT", "--boot-log", "RIGHT"),
        "the trace on the memory that the log names",
    ),
    ("trace", "sdkconfig"): (
        ("predict", "RIGHT", "--trace", "LEFT"),
        "does the trace fit beside the system?",
    ),
    ("sdkconfig", "firmware"): (
        ("predict", "LEFT", "--elf", "RIGHT"),
        "what is left, with the firmware's static RAM",
    ),
    ("sdkconfig", "map"): (
        ("predict", "LEFT", "--map", "RIGHT"),
        "what is left, with the firmware's static RAM",
    ),
}
_ALONE = (
    "each of them is answered by itself: this version does not compare two things of this kind "
    "without more"
)


def beside(left: Thing, right: Thing, answers: tuple[ThingAnswer, ...]) -> tuple[ThingAnswer, ...]:
    """The two answers, with the command that takes both, or a note that none does."""
    first, last = answers
    for one, other in ((left, right), (right, left)):
        words, why = _JOINED.get((one.kind.kind, other.kind.kind), ((), ""))
        if words:
            names = {"LEFT": one.name, "RIGHT": other.name}
            joined = command(*(names.get(word, word) for word in words), why=why)
            return first, replace(last, next=(joined, *last.next[:1]))
    if left.kind.kind == right.kind.kind:
        return first, replace(last, notes=(*last.notes, _ALONE))
    return answers


def _results(left: Thing, right: Thing) -> ThingAnswer | None:
    from heapscope.cli.verbs.compare import compare
    from heapscope.simulation.result.comparison import Comparison

    if left.kind.what != right.kind.what or not left.kind.what.endswith(" replay"):
        return None
    result = compare(left.name, right.name)
    if not isinstance(result, Comparison):
        return None
    return ThingAnswer(
        thing=f"{left.shown}, {right.shown}",
        kind="result",
        what="two results of heapscope replay",
        answer=result.conclusion[0] if result.conclusion else "No figure of them differs.",
        figures=(),
        next=(command("compare", left.name, right.name, why="every figure of both"),),
    )
