"""How each answer is printed: by its report, which is imported when something is shown."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from heapscope.verb_result import VerbResult

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["REPORTS", "show"]

#: The module in heapscope.report and the function that print a class of answers.
REPORTS = {
    "Comparison": ("compare", "print_comparison"),
    "EspIdfImport": ("esp_idf", "print_esp_idf"),
    "Exported": ("exported", "print_exported"),
    "FitResults": ("fit", "print_fit"),
    "ImportResult": ("imported", "print_imported"),
    "Leaks": ("leaks", "print_leaks"),
    "LintResult": ("lint", "print_lint"),
    "PoolsResult": ("pools", "print_pools"),
    "Prediction": ("predict", "print_prediction"),
    "RankGains": ("tune", "print_ranks"),
    "RecordResult": ("record", "print_record"),
    "ReplayResult": ("replay", "print_replay"),
    "Report": ("page.document", "print_answer"),
    "TraceInfo": ("info", "print_info"),
    "TuneResult": ("tune", "print_tune"),
    "UpgradeResult": ("upgrade", "print_upgrade"),
    "WhyResult": ("why", "print_why"),
}


def show(answer: VerbResult, target: Console) -> None:
    """Prints an answer as its command does: a class that has no report of its own by its rows."""
    module, name = REPORTS.get(type(answer).__name__, ("rows", "print_rows"))
    getattr(import_module(f"heapscope.report.{module}"), name)(answer, target)


VerbResult.printed_by = show
