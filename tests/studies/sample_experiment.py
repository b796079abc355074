"""An experiment made by hand whose every text is an attack, with all that a page can draw."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass, replace
from typing import Any

from heapscope_studies.result import NO, Check, Column, Experiment, Plot, Series, Table

EVIL = "</script><script>alert(1)</script>"
EVIL_NAME = "<img src=x onerror=alert(2)> \"quoted\" & 'single' {{ 7 * 7 }}"
EVIL_MATH = "$$\\alpha$$ \\(x\\) <b onmouseover=alert(3)>bold</b>"

#: The series of the plot "steps" have a gap in the middle, one point alone, and one that the others
#: lack.
COMPUTED = (10.0, 20.0, None, 40.0, None, 60.5)
PUBLISHED = (8.0, 20.0, 30.0, None, None, 55.0)
LABELS = ("one", EVIL_NAME, "three and more words", "four", "five", "six")
MANY = 100_000

#: In the place of the attacks, where a page is to look as it usually does.
PLAIN = {
    EVIL: "Free memory beside a TLS client",
    EVIL_NAME: "a client with its buffers of variable length",
    EVIL_MATH: "size of a record",
}


def hostile() -> Experiment:
    return Experiment(
        name="hostile",
        title=EVIL,
        source=EVIL_NAME,
        findings=(f"First: {EVIL}", "Second."),
        tables=(judged(), reported(), folded()),
        checks=(
            Check(what=EVIL_NAME, published=5, computed=5),
            Check(what="off", published=1000, computed=990),
            Check(what="nothing", published=7, computed=None),
        ),
        plots=(steps(), long(), dots()),
        figures={},
    )


def agreeing() -> Experiment:
    """Without curves, misses and attacks."""
    return replace(
        hostile(),
        name="agreeing",
        title="All well",
        source="a paper",
        findings=("It agrees.",),
        tables=(reported(),),
        checks=(Check(what="count", published=5, computed=5),),
        plots=(),
    )


def plain() -> list[Experiment]:
    """Both, with names that attack nothing."""
    return [_renamed(hostile()), _renamed(agreeing())]


def _renamed(value: Any) -> Any:
    if isinstance(value, str):
        for evil, name in PLAIN.items():
            value = value.replace(evil, name)
    elif isinstance(value, tuple):
        value = tuple(map(_renamed, value))
    elif is_dataclass(value) and not isinstance(value, type):
        value = replace(value, **{f.name: _renamed(getattr(value, f.name)) for f in fields(value)})
    return value


def judged() -> Table:
    return Table(
        key="judged",
        title=EVIL,
        columns=(
            Column(key="what", heading="The\nthing", name=True),
            Column(key="count", heading="pub- lished", unit="bytes"),
            Column(key="difference", heading="difference", signed=True, judged_by="holds"),
            Column(key="holds", heading="holds", name=True),
            Column(key="exact", heading="exact", signed=True, exact=True),
        ),
        rows=(
            (EVIL, 1_000, -70, "yes", 0),
            ("below", 2_000, -500, NO, -3),
            ("above", 3_000, 500, NO, 4),
            ("none", None, None, NO, None),
        ),
        notes=(EVIL_NAME,),
    )


def reported() -> Table:
    return Table(
        key="told",
        title="Differences that are held to nothing",
        columns=(
            Column(key="what", heading="Thing", name=True),
            Column(key="difference", heading="difference", signed=True),
            Column(key="ratio", heading="times", ratio=True),
        ),
        rows=tuple(
            (f"row {number:02}", number * 7 % 20 - 10, 1 / (1 + number)) for number in range(20)
        ),
    )


def folded() -> Table:
    return replace(reported(), key="folded", title=f"Folded {EVIL}", detail=True)


def steps() -> Plot:
    x = tuple(float(number) for number in range(len(LABELS)))
    return Plot(
        key="steps",
        title=EVIL,
        x_heading=EVIL_MATH,
        x_labels=LABELS,
        y_heading=EVIL_MATH,
        y_unit="B",
        series=(
            Series(name=EVIL, x=x, y=COMPUTED),
            Series(name="published", x=x, y=PUBLISHED, beside=EVIL),
        ),
        notes=(EVIL_NAME,),
    )


def long() -> Plot:
    """More points than a page draws, and one peak among them; and more curves than colours."""
    x = tuple(number / 10 for number in range(MANY))
    wave = tuple(2 + math.sin(number / 5000) for number in range(MANY))
    peak = (*wave[:54_321], 900.0, *wave[54_322:])
    few = tuple(
        Series(name=f"flat {n}", x=(0.0, MANY / 10), y=(n + 1.0, n + 1.0)) for n in range(11)
    )
    return Plot(
        key="long",
        title="A week",
        x_heading="time",
        x_unit="s",
        y_heading="steps",
        y_unit="steps",
        logarithmic=True,
        series=(Series(name="peaked", x=x, y=peak), *few),
    )


def dots() -> Plot:
    return Plot(
        key="dots",
        title="Choices",
        x_heading="calls",
        y_heading="allocated",
        series=(
            Series(name="front", x=(1.0, 1.0, 3.0), y=(9.0, 8.0, 2.0), points=True),
            Series(name="chosen", x=(2.0,), y=(4.0,), points=True),
        ),
    )
