"""Published beside computed, as tables, sentences and figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope_studies.conclusion import concluded
from heapscope_studies.memory_ladders.steps import LEAST, SHARE, Gain, c2_files, c2_left
from heapscope_studies.memory_ladders.sums import LADDERS, PUBLISHED, insteads
from heapscope_studies.result import NO, Column, Plot, Series, Table

_REPORTED_MAX = 4
#: A line of the first step that may have taken no effect there.
IGNORED = frozenset({"SPI_FLASH_ROM_IMPL=y"})


def within(gains: Sequence[Gain]) -> tuple[int, int]:
    return sum(gain.holds for gain in gains), len(gains)


def figures(c2: Sequence[Gain], matter: Sequence[Gain]) -> dict[str, dict[str, float]]:
    built: dict[str, dict[str, float]] = {}
    for name, result in (("c2", c2), ("matter", matter), ("both", (*c2, *matter))):
        holds, every = within(result)
        built[f"memory_ladders_{name}"] = {
            "within": holds,
            "all": every,
            "within_pct": round(100 * holds / every, 1),
            "shipped_within": sum(gain.shipped_holds for gain in result),
        }
    return built


def findings(c2: Sequence[Gain], matter: Sequence[Gain]) -> Iterator[str]:
    holds, every = within((*c2, *matter))
    yield (
        f"{holds} of {every} published figures come out within {SHARE:.0%} or {LEAST:,} B "
        f"({100 * holds / every:.0f} %): {within(c2)[0]} of {len(c2)} of the ESP32-C2's, "
        f"{within(matter)[0]} of {len(matter)} of the Matter light's. No part has its figure from "
        "the page that it is compared with, and the factors were learned without both pages."
    )
    shipped = sum(gain.shipped_holds for gain in (*c2, *matter))
    yield (
        f"The sum as it ships has {shipped} of {every} within the bounds. Some of its parts and "
        "factors are from these pages, so that those hits are arithmetic and are not counted."
    )
    silent = [gain for gain in (*c2, *matter) if gain.computed is None]
    if silent:
        names = "; ".join(dict.fromkeys(gain.step for gain in silent))
        yield f"{len(silent)} figures are not computed; the sum has no part of them: {names}."
    facts = missing_facts((*c2, *matter))
    if facts:
        yield (
            f"{len(facts)} facts were looked for and not found; the table of what is missing says "
            "which, and where."
        )
    missed = sorted(
        (gain for gain in (*c2, *matter) if gain.computed is not None and not gain.holds),
        key=lambda gain: -abs((gain.computed or 0.0) - gain.published),
    )
    if missed:
        text = "; ".join(
            f"{gain.step}, {gain.what} ({gain.computed or 0:,.0f} of {gain.published:,})"
            for gain in missed[:_REPORTED_MAX]
        )
        yield f"The farthest of {len(missed)} misses are: {text}."
    written, ignored = c2_files(), c2_files(IGNORED)
    yield (
        "The file of the first step sets SPI_FLASH_ROM_IMPL, and the next one takes it back. Did "
        f"it take no effect, {within(ignored)[0]} of {len(ignored)} steps between files would come "
        f"out in place of {within(written)[0]}; no source tells that, so that the file stands as "
        "it is written."
    )
    first, last = c2_left()
    yield (
        f"With everything at work the default options leave {first:,.0f} B on the ESP32-C2 and the "
        f"deep ones {last:,.0f}; the page says that the first resets for lack of memory and that "
        "the second has 118,096 free"
        + concluded(first < 0 < last, ".", ", which the sum does not tell apart.")
    )


def missing_facts(gains: Sequence[Gain]) -> tuple[tuple[str, str, str], ...]:
    """Step, the fact that is missing and what was tried, for the steps that have a miss."""
    missed = [gain.step for gain in gains if not gain.holds]
    return tuple(
        (one["step"], one["fact"], one["tried"])
        for one in PUBLISHED["missing"]
        if any(step.startswith(one["step"]) for step in missed)
    )


def missing(gains: Sequence[Gain]) -> Table:
    return Table(
        key="missing",
        title="Facts that a miss lacks",
        columns=(
            Column(key="step", heading="step", name=True),
            Column(key="fact", heading="fact that is missing", name=True),
            Column(key="tried", heading="where it was looked for", name=True),
        ),
        rows=missing_facts(gains),
    )


def counted() -> Table:
    """Bytes of a step that no row of the parts' table has, counted in sources."""
    return Table(
        key="counted",
        title="Bytes counted in sources, for what no option of the SDK gives",
        columns=(
            Column(key="step", heading="step", name=True),
            Column(key="what", heading="what", name=True),
            Column(key="bytes", heading="bytes", unit="B"),
            Column(key="phases", heading="phases", name=True),
            Column(key="source", heading="source", name=True),
        ),
        rows=tuple(
            (change["title"], one["what"], one["bytes"], ", ".join(one["phases"]), one["source"])
            for change in PUBLISHED["matter"]["change"]
            for one in change.get("beside", ())
        ),
        detail=True,
    )


def steps(key: str, title: str, gains: Sequence[Gain]) -> Table:
    return Table(
        key=key,
        title=title,
        columns=(
            Column(key="step", heading="step", name=True),
            Column(key="what", heading="figure", name=True),
            Column(key="published", heading="published", unit="B", signed=True),
            Column(key="computed", heading="computed", unit="B", signed=True),
            Column(
                key="difference", heading="difference", unit="B", signed=True, judged_by="holds"
            ),
            Column(key="holds", heading="within\nbounds", name=True),
            Column(key="shipped", heading="as it ships,\nnot counted", unit="B", signed=True),
        ),
        rows=tuple(_row(gain) for gain in gains),
        notes=(
            f"Bounds: {SHARE:.0%} of a figure or {LEAST:,} bytes, whichever is larger.",
            "The last column has the study's own figures in it, so that a hit there is arithmetic.",
        ),
    )


def _row(gain: Gain) -> tuple[str | int | None, ...]:
    computed = None if gain.computed is None else round(gain.computed)
    return (
        gain.step,
        gain.what,
        gain.published,
        computed,
        None if computed is None else computed - gain.published,
        "yes" if gain.holds else NO,
        None if gain.shipped is None else round(gain.shipped),
    )


def plot(key: str, title: str, gains: Sequence[Gain]) -> Plot:
    """Misses beside hits; a figure that is not computed has no dot."""
    x = tuple(float(number) for number in range(len(gains)))
    return Plot(
        key=key,
        title=title,
        x_heading="figure, as in the table",
        y_heading="bytes that a step gives",
        y_unit="B",
        series=(
            Series(name="computed", x=x, y=tuple(gain.computed for gain in gains), points=True),
            Series(
                name="published",
                x=x,
                y=tuple(float(gain.published) for gain in gains),
                points=True,
                beside="computed",
            ),
        ),
        x_labels=tuple(f"{gain.step}: {gain.what}" for gain in gains),
    )


def replaced() -> Table:
    """The choices: which figure stands in place of the study's own."""
    return Table(
        key="instead",
        title="Figures in place of the study's own",
        columns=(
            Column(key="ladder", heading="ladder", name=True),
            Column(key="part", heading="part", name=True),
            Column(key="own", heading="its own", unit="B"),
            Column(key="bytes", heading="in its place", unit="B"),
            Column(key="kind", heading="kind", name=True),
            Column(key="source", heading="source", name=True),
        ),
        rows=tuple(
            (ladder, one.part, round(one.stated), round(one.bytes), one.kind, one.source)
            for ladder in LADDERS
            for one in insteads(ladder).values()
        ),
        notes=(
            "The figure is what somebody else measured on a chip with the same processor and a "
            "program with the same drivers, or else the table's row for another chip, or what a "
            "document or a compiler says. It was chosen by that rule and not by the result.",
            "A figure of kind learned is whole; the others have the factor of their kind.",
            "Programs that make no ring buffer link 0.7 to 1.1 KB of their code by three published "
            "size tables, those with a driver that makes one 3.8 KB by two.",
        ),
        detail=True,
    )
