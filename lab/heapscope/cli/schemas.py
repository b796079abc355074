"""The schemas of all documents that `--json` writes, made from their rows:
python -m heapscope.cli.schemas [FOLDER]"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from heapscope.fit.result import FitResult
from heapscope.leaks.find import Leaks
from heapscope.measure.comparison import Comparison
from heapscope.measure.result import ReplayResult
from heapscope.report.page.document import ReportDocument
from heapscope.rows.row import Document
from heapscope.rows.schema import schema
from heapscope.trace.info import TraceInfo
from heapscope.upgrade.result import UpgradeResult
from heapscope.why.result import WhyResult

__all__ = ["DOCUMENTS", "schema_files"]

#: The outermost row of each verb's document.
DOCUMENTS: tuple[type[Document], ...] = (
    Comparison,
    FitResult,
    Leaks,
    ReplayResult,
    ReportDocument,
    TraceInfo,
    UpgradeResult,
    WhyResult,
)

FOLDER = Path("docs/reference")


def schema_files() -> Iterator[tuple[str, str]]:
    """The name and the text of each file."""
    for document in DOCUMENTS:
        text = json.dumps(schema(document), indent=2, ensure_ascii=False)
        yield f"{document.VERB}.schema.json", f"{text}\n"


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for name, text in schema_files():
        (folder / name).write_text(text, encoding="utf-8")
