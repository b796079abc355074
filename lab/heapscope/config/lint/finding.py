"""The faults of a configuration, and their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row
from heapscope.config.config import Config
from heapscope.config.rules import HARD, SEVERITIES, rule
from heapscope.config.value import Value


class RemovedLine(Row):
    """A line to take out."""

    option: str = figure("The option of the line, as written.", pattern="^CONFIG_")
    file: str = figure("The file that the line is in.")
    line: int = figure("The number of the line.", least=1)


class FindingRow(Row):
    """A fault of the configuration, its place and its remedy."""

    rule: str = figure("A rule of docs/reference/rules.md.")
    severity: str = figure("The severity of the rule.", choices=SEVERITIES)
    file: str = figure("The file to blame.")
    line: int | None = figure("The line to blame; null: no line says it, defaults do.", least=1)
    option: str | None = figure("The option of that line, as written.", pattern="^CONFIG_")
    message: str = figure("The fault, with the values.", pattern=".")
    write: tuple[str, ...] = figure(
        "Lines to write instead, in this SDK's names.", pattern="^CONFIG_[A-Za-z0-9_]+="
    )
    remove: tuple[RemovedLine, ...] = figure("Lines to take out.")
    text: str = figure("The rule.")
    source: str = figure("The source of the rule.")


@dataclass(frozen=True, kw_only=True)
class LintFinding:
    """`line` is 0 where no line says it: the value is a default. `values`: by newest name, what
    would mend it; `write`: the same as lines, in the SDK's own names. `remove`: (option, file,
    line)."""

    WRITTEN = FindingRow

    rule: str
    file: str
    line: int
    option: str  # as written; "" where no line says it
    message: str
    values: Mapping[str, Value] = field(default_factory=dict)
    write: tuple[str, ...] = ()
    remove: tuple[tuple[str, str, int], ...] = ()

    @property
    def severity(self) -> str:
        return rule(self.rule).severity

    @property
    def hard(self) -> bool:
        return self.severity in HARD

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    def to_json(self) -> dict[str, Any]:
        return FindingRow(
            rule=self.rule,
            severity=self.severity,
            file=self.file,
            line=self.line or None,
            option=f"CONFIG_{self.option}" if self.option else None,
            message=self.message,
            write=self.write,
            remove=tuple(
                RemovedLine(option=f"CONFIG_{option}", file=file, line=line)
                for option, file, line in self.remove
            ),
            text=rule(self.rule).text,
            source=rule(self.rule).source,
        ).to_json()


class SeverityCounts(Row):
    """Findings by severity."""

    B: int = figure("Findings for which the build stops.", "findings")
    K: int = figure("Findings whose line Kconfig corrects or drops.", "findings")
    R: int = figure("Findings that fail or crash at run time.", "findings")
    A: int = figure("Findings that are advice of the documentation.", "findings")
    D: int = figure("Findings that are derived from source or tables.", "findings")


class LintResult(Document):
    """The faults of a firmware's configuration, the worst first."""

    VERB = "lint"
    VERSION = 1
    main_table = "findings"

    files: tuple[str, ...] = figure("The files as given; later ones win.", entries=(1, None))
    chip: str = figure("The chip that the configuration is for.")
    idf: str = figure("The ESP-IDF version whose rules were applied.")
    failed: bool = figure("There is a finding of severity B, K or R; the exit code is then 1.")
    counts: SeverityCounts = figure("Findings by severity.")
    options: int = figure("Options that the files set.", "options")
    listed: int = figure("Options of the files that the ESP-IDF version has.", "options")
    undecided: tuple[str, ...] = figure(
        "Rules that could not be decided, because a value is not known."
    )
    notes: tuple[str, ...] = figure("The assumptions, a sentence each.")
    findings: tuple[LintFinding, ...] = figure("The findings, the worst first.")


def spelled_lines(config: Config, values: Mapping[str, Value]) -> tuple[str, ...]:
    """The lines that give these values, in the names of this SDK; options that it does not have are
    left out."""
    lines = (config.line(name, value) for name, value in values.items())
    return tuple(filter(None, lines))
