"""The faults of a configuration, and their places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from heapscope.config.config import Config
from heapscope.config.renames import line_in
from heapscope.config.rules import HARD, SEVERITIES, rule
from heapscope.config.value import Value
from heapscope.verb_result import VerbResult

__all__ = ["LintFinding", "LintResult", "spelled", "spelled_lines"]


@dataclass(frozen=True, kw_only=True)
class LintFinding:
    """`line` is 0 where no line says it: the value is a default. `values`: by newest name, what
    would mend it; `write`: the same as lines, in the SDK's own names. `remove`: (option, file,
    line)."""

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
        return {
            "rule": self.rule,
            "severity": self.severity,
            "file": self.file,
            "line": self.line or None,
            "option": f"CONFIG_{self.option}" if self.option else None,
            "message": self.message,
            "write": list(self.write),
            "remove": [
                {"option": f"CONFIG_{option}", "file": file, "line": line}
                for option, file, line in self.remove
            ],
            "text": rule(self.rule).text,
            "source": rule(self.rule).source,
        }


@dataclass(frozen=True, kw_only=True)
class LintResult(VerbResult):
    """`unknown`: rules that could not be decided here, as a value is not known. `listed`: options
    of the files that are in the table."""

    main_table = "findings"

    files: tuple[str, ...]
    chip: str
    sdk: str
    findings: tuple[LintFinding, ...]
    unknown: tuple[str, ...]
    options: int
    listed: int
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return any(finding.hard for finding in self.findings)

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        return {
            "files": list(self.files),
            "chip": self.chip,
            "idf": self.sdk,
            "failed": self.failed,
            "counts": {severity: self.count(severity) for severity in SEVERITIES},
            "options": self.options,
            "listed": self.listed,
            "undecided": list(self.unknown),
            "notes": list(self.notes),
            "findings": [finding.to_json() for finding in self.findings],
        }


def spelled(config: Config, name: str, value: Value) -> str:
    """One line, under the name that this SDK has for the option."""
    return line_in(name, value, config.chip, config.sdk)


def spelled_lines(config: Config, values: Mapping[str, Value]) -> tuple[str, ...]:
    return tuple(spelled(config, name, value) for name, value in values.items())
