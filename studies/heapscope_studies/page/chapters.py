"""Experiments as one page: what was found, curves, tables, and which figures come out exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from heapscope.base.wording import count, plural
from heapscope.render.page.detail import Detail
from heapscope.render.page.frame import fitting, page
from heapscope.render.text.table import Cell, CellText, Table, headed
from heapscope_studies import result
from heapscope_studies.laid_out import laid_out, tone_of
from heapscope_studies.page.plots import draw_plots, plot_data
from heapscope_studies.result import Check, Experiment

SCRIPTS = ("plots.js",)


@dataclass(frozen=True, kw_only=True)
class Status:
    """`tone`: a class for the page's colours; `short`: for the list of contents."""

    tone: str
    text: str
    short: str


@dataclass(frozen=True)
class Chapter:
    """One experiment, as its part of the page reads."""

    experiment: Experiment

    @cached_property
    def status(self) -> Status:
        return _status([self.experiment])

    @cached_property
    def shown(self) -> tuple[Table, ...]:
        return tuple(
            laid_out(table, self.experiment.name)
            for table in self.experiment.tables
            if not table.detail
        )

    @cached_property
    def folded(self) -> tuple[Table, ...]:
        return tuple(
            laid_out(table, self.experiment.name)
            for table in self.experiment.tables
            if table.detail
        )

    @cached_property
    def judges(self) -> bool:
        """Whether differences can be misses, so that the colours need a word."""
        return any(
            c.exact or c.judged_by for table in self.experiment.tables for c in table.columns
        )

    @cached_property
    def exact(self) -> Table:
        """The figures that must come out exactly, those that do not first."""
        rows = sorted(self.experiment.checks, key=lambda check: check.holds)
        return Table(
            name=f"{self.experiment.name}/exact",
            title="Figures that must come out exactly",
            columns=headed("Figure", "#published", "#computed", "#difference"),
            rows=tuple(_check(check) for check in rows),
        )

    def anchor(self, key: str) -> str:
        """The id of a plot or table."""
        return f"{self.experiment.name}-{key}".replace("/", "-").replace("_", "-")


def experiment_html(experiments: Sequence[Experiment]) -> str:
    """The page of one experiment or of several, below PAGE_MAX."""
    return fitting(lambda detail: _page(experiments, detail))


def _page(experiments: Sequence[Experiment], detail: Detail) -> str:
    chapters = [Chapter(experiment) for experiment in experiments]
    docs, item = draw_plots(experiments, detail)
    return page(
        "experiment.html.j2",
        package="heapscope_studies.page",
        scripts=SCRIPTS,
        data={"docs": docs, "item": item, "plots": plot_data(experiments)},
        detail=detail,
        charts=any(experiment.plots for experiment in experiments),
        chapters=chapters,
        alone=len(chapters) == 1,
        status=_status(experiments),
        thinned=_thinned,
    )


def _status(experiments: Sequence[Experiment]) -> Status:
    checks = [check for experiment in experiments for check in experiment.checks]
    failed = sum(not check.holds for check in checks)
    outside = sum(_outside(table) for each in experiments for table in each.tables)
    reported = [plural(len(checks), "exact figure") + " met"] if checks else []
    if failed:
        reported = [f"{count(failed)} of {plural(len(checks), 'exact figure')} missed"]
    short = [f"{count(len(checks) - failed)} of {count(len(checks))}"] if checks else []
    if outside:
        reported.append(f"{count(outside)} outside bounds")
        short.append(f"{count(outside)} outside")
    return Status(
        tone="bad" if failed else "close" if outside else "good" if checks else "plain",
        text=", ".join(reported) or "nothing to come out exactly",
        short=", ".join(short) or "-",
    )


def _outside(table: result.Table) -> int:
    """Differences beyond the bounds that they are held to."""
    judged = [column for column in table.columns if column.judged_by]
    return sum(table.missed(row, column) for row in table.rows for column in judged)


def _thinned(plot: result.Plot, detail: Detail) -> bool:
    """Whether the page draws fewer points than there are."""
    return any(len(curve.x) > detail.points for curve in plot.series)


def _check(check: Check) -> tuple[Cell, ...]:
    computed = CellText("nothing", 0, "under") if check.computed is None else check.computed
    return (check.what, check.published, computed, _difference(check.difference))


def _difference(value: int | None) -> Cell:
    return value if not value else CellText(f"{value:+,}", value, tone_of(value))
