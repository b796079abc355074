"""How each answer is printed: by its report, which is imported when something is shown."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from heapscope.verb_result import Results, VerbResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console, RenderableType

#: The module in heapscope.report and the function that make what is printed of a class of answers.
REPORTS = {
    "CheckResult": ("check", "check_parts"),
    "Comparison": ("compare", "comparison_parts"),
    "Diff": ("ladder", "diff_parts"),
    "EspIdfImport": ("esp_idf", "esp_idf_parts"),
    "Exported": ("exported", "exported_parts"),
    "FitResults": ("fit", "fit_parts"),
    "ImportResult": ("imported", "imported_parts"),
    "Ladder": ("ladder", "ladder_parts"),
    "Leaks": ("leaks", "leaks_parts"),
    "LintResult": ("lint", "lint_parts"),
    "LiveResult": ("live", "live_parts"),
    "LogResult": ("log", "log_parts"),
    "PlaceResult": ("place", "place_parts"),
    "PoolsResult": ("pools", "pools_parts"),
    "Prediction": ("predict", "prediction_parts"),
    "RankGains": ("tune", "ranks_parts"),
    "RecordResult": ("record", "record_parts"),
    "ReplayResult": ("replay", "replay_parts"),
    "Report": ("page.document", "answer_parts"),
    "SweepResult": ("sweep", "sweep_parts"),
    "SystemViewImport": ("imported", "systemview_parts"),
    "TraceInfo": ("info", "info_parts"),
    "Translated": ("translate", "translate_parts"),
    "TuneResult": ("tune", "tune_parts"),
    "UpgradeResult": ("upgrade", "upgrade_parts"),
    "WhyResult": ("why", "why_parts"),
}


def parts(answer: VerbResult) -> Iterator[RenderableType]:
    """The parts of what its command prints; a class without a report of its own shows its rows.
    The sentences about the sizes of its recordings come last."""
    module, name = REPORTS.get(type(answer).__name__, ("rows", "document_parts"))
    made: Iterable[RenderableType] = getattr(import_module(f"heapscope.report.{module}"), name)(
        answer
    )
    yield from made
    limits = dict.fromkeys(
        sentence
        for one in (answer if isinstance(answer, Results) else (answer,))
        for sentence in getattr(one, "size_limits", ())
    )
    if limits:
        from rich.text import Text

        yield from map(Text, limits)


def show(answer: VerbResult, target: Console) -> None:
    """Prints an answer as its command does."""
    from heapscope.report.terminal import print_parts

    print_parts(target, parts(answer))


VerbResult.printed_by = show
