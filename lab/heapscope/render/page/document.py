"""Everything of a report, and its page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document
from heapscope.base.verb_result import VerbResult
from heapscope.render.explorer.embed import EmbeddedTrace, packed_parts
from heapscope.render.page import cards
from heapscope.render.page.colours import PALETTE, TASKS
from heapscope.render.page.detail import Detail, trimmed
from heapscope.render.page.flame import has_stacks
from heapscope.render.page.side import PageSide
from heapscope.render.text import tables
from heapscope.render.text.compare import comparison_parts, parts_table
from heapscope.render.text.health import health, match
from heapscope.render.text.knobs import knob_table
from heapscope.render.text.leaks import holders, leaks_parts, sentences
from heapscope.render.text.plan import plans_table, to_paste
from heapscope.render.text.replay import replay_parts
from heapscope.render.text.stays import stays
from heapscope.render.text.terminal import unfolded
from heapscope.render.text.why import explained_tables, moments, why_parts
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.several import DifferingRow, compared, differing
from heapscope.trace.loss import is_cut
from heapscope.trace.provenance import WORD_SIZE_TEXT, largest_word

SCRIPTS = ("charts.js", "map.js", "flame.js")


class ReportDocument(Document):
    """The figures that an HTML report draws. Bytes and event numbers are as in
    the schema of `replay`."""

    VERB = "report"
    VERSION = 1

    title: str = figure("The title of the page.")
    sides: tuple[PageSide, ...] = figure("The memories.", entries=(1, 6))
    conclusions: tuple[tuple[str, ...], ...] | None = figure(
        "The changes from the first side to each other one; absent: there is one side.",
        absent=True,
        default=None,
    )
    differing: tuple[DifferingRow, ...] | None = figure(
        "The figures that are not the same on all sides; absent: there is one side.",
        absent=True,
        default=None,
    )

    @property
    @computed(WORD_SIZE_TEXT, "B", last=True)
    def word_size(self) -> int | None:
        return largest_word(*(side.result.word_size for side in self.sides))


@dataclass(frozen=True, kw_only=True)
class PageEngine:
    """A page's own replay. `limit`: bytes of the packed trace at most."""

    trace: EmbeddedTrace
    memories: tuple[dict[str, Any], ...]
    limit: int


@dataclass(frozen=True, kw_only=True)
class Report(VerbResult):
    """One side: what happened on one memory. Several: the same questions of each, the first one is
    what the others are compared with."""

    main_table = "sides"

    title: str
    sides: tuple[PageSide, ...]
    #: The trace that the page replays by itself, and the memories that it offers.
    engine: PageEngine | None = None

    @property
    def answer(self) -> tuple[str, ...]:
        """In sentences: the verdict, or what changes from the first side to each other one."""
        results = [side.result for side in self.sides]
        if len(results) == 1:
            return results[0].verdict.sentences
        return tuple(one.conclusion[0] for one in compared(results))

    def to_json(self) -> dict[str, Any]:
        results = [side.result for side in self.sides]
        document = ReportDocument(title=self.title, sides=self.sides)
        if len(results) > 1:
            document = replace(
                document,
                conclusions=tuple(one.conclusion for one in compared(results)),
                differing=differing(results).rows,
            )
        return document.to_json()


def answer_parts(report: Report) -> Iterator[Text]:
    yield from (Text(sentence, no_wrap=True) for sentence in report.answer)


def report_parts(report: Report) -> Iterator[RenderableType]:
    """The whole report without its drawings, side by side where there are several."""
    yield Text(f"# {report.title}")
    for one in compared([side.result for side in report.sides]):
        yield from comparison_parts(one)
    for side in report.sides:
        yield Text(f"## {side.label or 'The replay'}")
        yield from replay_parts(side.result)
        yield tables.sites(side.result, side.survey)
        yield tables.close(side.result, side.close)
        yield from leaks_parts(side.leaks)
        if side.why is not None:
            yield from unfolded(why_parts(side.why))


def html(report: Report) -> str:
    """The page, below PAGE_MAX. All names in it are escaped, and its policy lets only the page's
    own scripts run and nothing be loaded."""
    from heapscope.render.page.frame import fitting  # imports the extra that draws

    packed = {} if report.engine is None else _packed(report.engine, report.sides)
    besides = sum(map(len, packed.values()))
    return fitting(lambda detail: _page(report, detail, packed), besides=besides)


def _packed(engine: PageEngine, sides: Sequence[PageSide]) -> dict[str, str]:
    from heapscope.render.page.data import page_looks
    from heapscope.render.page.frame import worker_text

    parts = packed_parts(engine.memories, PALETTE, looks=page_looks(sides), trace=engine.trace)
    return {"worker": worker_text(), **parts}


def _page(report: Report, detail: Detail, packed: dict[str, str]) -> str:
    from heapscope.render.page.charts import draw
    from heapscope.render.page.data import page_looks, side_data
    from heapscope.render.page.frame import page

    sides = [trimmed(side, detail) for side in report.sides]
    docs, item = draw(sides)
    results = [side.result for side in sides]
    several, looks = len(results) > 1, page_looks(sides)
    return page(
        "page.html.j2",
        scripts=SCRIPTS,
        packed=packed,
        engine=report.engine,
        data={
            "docs": docs,
            "colours": TASKS,
            "item": item,
            "sides": [side_data(side, number, looks) for number, side in enumerate(sides)],
        },
        detail=detail,
        report=report,
        sides=sides,
        first=sides[0],
        several=several,
        status=_worst(results),
        comparisons=compared(results) if several else [],
        differing=differing(results) if several else None,
        parts_table=parts_table,
        tables=tables,
        cards=cards,
        leak_sentences=sentences,
        stays=stays,
        has_stacks=has_stacks,
        holders=holders,
        moments=moments,
        to_paste=to_paste,
        plans_table=plans_table,
        knob_table=knob_table,
        explained_tables=explained_tables,
        match=match,
        wrong=_wrong,
    )


def _worst(results: list[ReplayResult]) -> tuple[str, str]:
    order = ("bad", "close", "good")
    return min((cards.status(result) for result in results), key=lambda one: order.index(one[0]))


def _wrong(result: ReplayResult) -> list[str]:
    """The faults of the trace, a line each, as on a terminal."""
    lost: list[str] = [] if result.loss is None else [*result.loss.sentences()]
    lost += [result.loss.directions] if is_cut(result.loss) else []
    lines = [line.plain.strip() for line in health(result) if isinstance(line, Text)]
    return [*lost, *lines[1:]]  # behind the heading
