"""Used, allocated and utilisation at the six marks, published beside the study's own version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from heapscope_studies.conclusion import SHARE, UNTOLD, concluded, tells
from heapscope_studies.ice_pools.recorded import MARKS, PUBLISHED, Dumps
from heapscope_studies.result import NO, Cell, Check, Column, Plot, Series, Table

CONFIGURATIONS: list[dict[str, Any]] = PUBLISHED["configuration"]
QUIET: list[str] = PUBLISHED["quiet"]
APPENDIX: dict[str, Any] = PUBLISHED["appendix"]
BOUND: dict[str, int] = PUBLISHED["bound"]
PACKET = "tdata"  #: the pool of a packet that is kept for a repetition
WHAT = ("used", "allocated")

Calls = Mapping[str, Dumps]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One published figure beside the computed one. `low` and `high`: what the published one may be
    while the recording is right; equal to the computed one where it repeats to the byte."""

    configuration: str
    mark: str
    what: str
    published: int
    computed: int
    low: int
    high: int

    @property
    def exact(self) -> bool:
        return self.tells and self.published == self.computed

    @property
    def tells(self) -> bool:
        """False: what the recording allows is so wide that hardly a figure would lie outside."""
        return tells(self.low, self.high, self.computed)

    @property
    def stated(self) -> int | None:
        return self.computed if self.tells else None

    @property
    def inside(self) -> bool:
        return self.tells and self.low <= self.published <= self.high


def compare(calls: Calls) -> tuple[Figure, ...]:
    """All 36 figures."""
    return tuple(
        _figure(one, calls[one["key"]], mark, what)
        for one in CONFIGURATIONS
        for mark in MARKS
        for what in WHAT
    )


def _figure(one: dict[str, Any], call: Dumps, mark: str, what: str) -> Figure:
    computed = call.at(mark)[WHAT.index(what)]
    low, high = _bounds(one["key"], call, mark, what)
    return Figure(
        configuration=one["title"],
        mark=mark,
        what=what,
        published=one[what][MARKS.index(mark)],
        computed=computed,
        low=low,
        high=high,
    )


def _bounds(key: str, call: Dumps, mark: str, what: str) -> tuple[int, int]:
    """A race decides how many packets are kept when ICE completes, and two pools of a call keep
    what early packets left in them."""
    computed = call.at(mark)[WHAT.index(what)]
    if mark in QUIET:
        return computed, computed
    left = BOUND["early_checks"] * BOUND["early_check"] + BOUND["receive_used"]
    if what == "allocated":
        left = _block(call, mark) + BOUND["receive_allocated"]
    kept = packets(call, mark)
    if mark != PUBLISHED["peak"]:
        return computed - left, computed + left
    still = computed - sum(kept)
    largest = max(kept, default=0)
    return still - left, still + most_packets(key) * largest + left


def _block(call: Dumps, mark: str) -> int:
    """One more block of an ICE session: its pools of a mark are multiples of it."""
    sizes = [size for kind, _, size in call.pools(mark) if kind == "icetp"]
    return min(sizes)


def packets(call: Dumps, mark: str, what: str = "allocated") -> list[int]:
    """Bytes of each packet's pool that is kept at the mark."""
    return [
        (used, allocated)[WHAT.index(what)]
        for (kind, used, allocated), count in call.pools(mark).items()
        if kind == PACKET
        for _ in range(count)
    ]


def most_packets(key: str) -> int:
    """Each pair of candidates asks once and answers once, and packets are kept for 8 and 10 s,
    which is longer than ICE takes."""
    caller, callee = PUBLISHED["candidates"]
    return 2 * int(PUBLISHED["components"][key]) * int(caller) * int(callee)


# ---- tables -------------------------------------------------------------------------------------


def tables(calls: Calls) -> Iterator[Table]:
    figures = compare(calls)
    for one in CONFIGURATIONS:
        yield _marks(one, [f for f in figures if f.configuration == one["title"]])
    yield _lines(calls)
    yield _choices()


def _marks(one: dict[str, Any], figures: list[Figure]) -> Table:
    return Table(
        key=f"marks_{one['key']}",
        title=f"Bytes of all pools at six marks: {one['title']}",
        columns=(
            Column(key="mark", heading="Mark", name=True),
            *(column for what in WHAT for column in _columns(what)),
            Column(key="utilisation_published", heading="utilisation % published", unit="%"),
            Column(key="utilisation_computed", heading="computed", unit="%"),
            Column(key="utilisation_difference", heading="difference", unit="%", signed=True),
        ),
        rows=tuple(_rows(one, figures)),
        notes=(
            "At the first four marks nothing is under way, and a figure has to repeat to the byte. "
            "At the last two a race decides; 'within' says whether the recorded call allows the "
            f"published figure. Where it allows more than {100 * SHARE:.0f} % of it, the figure "
            f"{UNTOLD}.",
            f"Then up to {most_packets(one['key'])} packets are kept, a pool each. Up to "
            f"{BOUND['early_checks']} checks that came early left {BOUND['early_check']} B each in "
            "the session, and a receive pool keeps the size of the last packet: "
            f"{BOUND['receive_used']} B of it are used or not, {BOUND['receive_allocated']} B "
            "allocated.",
        ),
    )


def _columns(what: str) -> tuple[Column, ...]:
    within = f"{what}_within"
    return (
        Column(key=f"{what}_published", heading=f"{what} published", unit="bytes"),
        Column(key=f"{what}_computed", heading="computed", unit="bytes"),
        Column(
            key=f"{what}_difference",
            heading="difference",
            unit="bytes",
            signed=True,
            judged_by=within,
        ),
        Column(key=within, heading="within", name=True, wide=True),
    )


def _rows(one: dict[str, Any], figures: list[Figure]) -> Iterator[tuple[Cell, ...]]:
    for index, mark in enumerate(MARKS):
        cells: list[Cell] = [mark]
        used, allocated = (f for f in figures if f.mark == mark)
        for each in (used, allocated):
            within = UNTOLD if not each.tells else "yes" if each.inside else NO
            difference = each.computed - each.published if each.tells else None
            cells += [each.published, each.stated, difference, within]
        reported = one["utilisation"][index]
        share = None
        if used.tells and allocated.tells:
            share = (200 * used.computed + allocated.computed) // (2 * allocated.computed)
        yield (*cells, reported, share, None if share is None else share - reported)


def _lines(calls: Calls) -> Table:
    result = calls[APPENDIX["configuration"]].pools(APPENDIX["mark"])
    return Table(
        key="lines",
        title="The published dump of an idle media transport, line by line",
        columns=(
            Column(key="pool", heading="Pool", name=True),
            Column(key="used", heading="used published", unit="bytes"),
            Column(key="allocated", heading="allocated published", unit="bytes"),
            Column(key="pools", heading="such pools computed"),
        ),
        rows=tuple((*line, result[tuple(line)]) for line in APPENDIX["lines"]),
        notes=("A line that the recorded dump does not have is there 0 times.",),
    )


def _choices() -> Table:
    keys = {
        "what": "Choice",
        "value": "as recorded",
        "decided": "decided by",
        "explains": "what it explains",
        "otherwise": "with another",
    }
    return Table(
        key="choices",
        title="Choices of the recording, which the study does not tell",
        columns=tuple(Column(key=key, heading=heading, name=True) for key, heading in keys.items()),
        rows=tuple(tuple(one[key] for key in keys) for one in PUBLISHED["choice"]),
        notes=(
            "Recorded once with the real pjsua-lib of that version, commit 87b347ed3 of June 2010, "
            "a 32-bit program with alignment 8. A STUN server, a TURN server and a callee ran on "
            "the same machine. The published addresses are those of a 32-bit program.",
            "With RTCP off, the last two marks were recorded with 8 digits. The figures with fewer "
            "digits would be arithmetic and no recording; none here uses them.",
        ),
    )


# ---- curves -------------------------------------------------------------------------------------


def plots(calls: Calls) -> Iterator[Plot]:
    figures = compare(calls)
    for what in WHAT:
        yield Plot(
            key=f"{what}_by_mark",
            title=f"Bytes of all pools {what} at six marks",
            x_heading="mark",
            x_labels=tuple(MARKS),
            y_heading=what,
            y_unit="B",
            series=tuple(
                curve
                for one in CONFIGURATIONS
                for curve in _curves([f for f in figures if _is(f, one, what)])
            ),
        )


def _is(figure: Figure, one: dict[str, Any], what: str) -> bool:
    return (figure.configuration, figure.what) == (one["title"], what)


def _curves(figures: list[Figure]) -> tuple[Series, Series]:
    """`figures` are those of one configuration, in the marks' order."""
    x = tuple(float(number) for number in range(len(figures)))
    name = figures[0].configuration
    ours = Series(name=f"{name}, computed", x=x, y=tuple(one.stated for one in figures))
    published = tuple(one.published for one in figures)
    return ours, Series(name=f"{name}, published", x=x, y=published, beside=ours.name)


# ---- words and checks ---------------------------------------------------------------------------


def findings(calls: Calls) -> Iterator[str]:
    figures = compare(calls)
    exact = sum(one.exact for one in figures)
    yield (
        f"{exact} of {len(figures)} published figures come out to the byte, "
        + concluded(
            all(one.exact for one in figures if one.mark in QUIET),
            f"all {sum(one.mark in QUIET for one in figures)} of the four quiet marks among them.",
            "but not all of the four quiet marks.",
        )
    )
    others = [one for one in figures if one.tells and not one.exact]
    if others:
        yield (
            f"{sum(one.inside for one in others)} of {len(others)} others lie where the recorded "
            "call allows them."
        )
    if untold := [one for one in figures if not one.tells]:
        marks = " and ".join(dict.fromkeys(f"'{one.mark}'" for one in untold))
        yield (
            f"{len(untold)} figures, of {marks}, cannot be told: a race decides which packets are "
            f"still kept, and the recorded call allows more than {100 * SHARE:.0f} % of the "
            "figure. When each packet of the published call came would settle it."
        )
    counts = _lines(calls).column("pools")
    yield (
        f"{sum(count != 0 for count in counts)} of {len(counts)} kinds of line of the published "
        "idle dump are in the recorded one."
    )


def checks(calls: Calls) -> Iterator[Check]:
    """The figures of the quiet marks, and the lines of the idle dump."""
    for one in compare(calls):
        if one.mark in QUIET:
            yield Check(
                what=f"{one.what} at '{one.mark}', {one.configuration}",
                published=one.published,
                computed=one.computed,
            )
    counts = _lines(calls).column("pools")
    yield Check(
        what="kinds of line of the idle dump",
        published=len(counts),
        computed=sum(count != 0 for count in counts),
    )


def figures(calls: Calls) -> dict[str, dict[str, float]]:
    result = compare(calls)
    return {
        "ice_figures": {
            "all": float(len(result)),
            "exact": float(sum(one.exact for one in result)),
            "inside": float(sum(one.inside for one in result)),
        },
    }
