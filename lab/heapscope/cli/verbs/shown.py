"""How each answer is printed: by its report, which is imported when something is shown."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from heapscope.base.verb_result import Results, VerbResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console, RenderableType

#: The module in heapscope.render and the function that make what is printed of a class of answers.
REPORTS = {
    "CheckResult": ("text.check", "check_parts"),
    "Comparison": ("text.compare", "comparison_parts"),
    "EspIdfImport": ("text.esp_idf", "esp_idf_parts"),
    "Exported": ("text.exported", "exported_parts"),
    "FitResults": ("text.fit", "fit_parts"),
    "FleetResult": ("text.fleet", "fleet_parts"),
    "HeldResult": ("text.held", "held_parts"),
    "ImageResult": ("text.image", "image_parts"),
    "ImportResult": ("text.imported", "imported_parts"),
    "Ladder": ("text.ladder", "ladder_parts"),
    "Leaks": ("text.leaks", "leaks_parts"),
    "Lifetime": ("text.lifetime", "lifetime_parts"),
    "LintResult": ("text.lint", "lint_parts"),
    "LiveResult": ("text.live", "live_parts"),
    "LogComparison": ("text.compare", "logs_parts"),
    "LogResult": ("text.log", "log_parts"),
    "PlaceResult": ("text.place", "place_parts"),
    "PoolsResult": ("text.pools", "pools_parts"),
    "Prediction": ("text.predict", "prediction_parts"),
    "RamDifference": ("text.ram", "difference_parts"),
    "RamResult": ("text.ram", "ram_parts"),
    "RankGains": ("text.tune", "ranks_parts"),
    "RecordResult": ("text.record", "record_parts"),
    "ReplayResult": ("text.replay", "replay_parts"),
    "Report": ("page.document", "answer_parts"),
    "SeveralReplays": ("text.compare", "several_parts"),
    "SweepResult": ("text.sweep", "sweep_parts"),
    "SystemViewImport": ("text.imported", "systemview_parts"),
    "Things": ("text.thing", "thing_parts"),
    "TraceInfo": ("text.info", "info_parts"),
    "Translated": ("text.translate", "translate_parts"),
    "TuneResult": ("text.tune", "tune_parts"),
    "UpgradeResult": ("text.upgrade", "upgrade_parts"),
    "WhyResult": ("text.why", "why_parts"),
}


def parts(answer: VerbResult) -> Iterator[RenderableType]:
    """The parts of what its command prints; a class without a report of its own shows its rows.
    The sentences about the sizes of its recordings come last."""
    module, name = REPORTS.get(type(answer).__name__, ("text.rows", "document_parts"))
    built: Iterable[RenderableType] = getattr(import_module(f"heapscope.render.{module}"), name)(
        answer
    )
    yield from built
    limits = dict.fromkeys(
        sentence
        for one in (answer if isinstance(answer, Results) else (answer,))
        for sentence in getattr(one, "size_limits", ())
    )
    if limits:
        from rich.text import Text

        yield from map(Text, limits)


def show(answer: VerbResult, target: Console, *, every_row: bool = False) -> None:
    """Prints an answer as its command does. `every_row`: of tables that show the first ones."""
    from heapscope.render.text.terminal import print_parts

    print_parts(target, parts(answer), every_row=every_row)


VerbResult.printed_by = show
