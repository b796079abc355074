"""Findings for other programs: SARIF 2.1.0, and the commands of GitHub Actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heapscope.base.languages import annotation_message, annotation_property
from heapscope.base.sarif import sarif_document, sarif_result
from heapscope.config.lint.finding import LintFinding, LintResult
from heapscope.config.rules import HARD, SEVERITIES, rule


def sarif(result: LintResult) -> dict[str, Any]:
    """One run. Errors are what fails the command; advice is a note."""
    names = dict.fromkeys(finding.rule for finding in result.findings)
    results = [
        sarif_result(
            finding.rule,
            level="error" if finding.severity in HARD else "note",
            text=text(finding),
            file=finding.file,
            line=finding.line,
        )
        for finding in result.findings
    ]
    return sarif_document("heapscope lint", [_rule(name) for name in names], results)


def _rule(name: str) -> dict[str, Any]:
    result = rule(name)
    return {
        "id": name,
        "shortDescription": {"text": result.text},
        "fullDescription": {"text": f"{result.text}. Source: {result.source}"},
        "defaultConfiguration": {"level": "error" if result.hard else "note"},
        "properties": {"severity": result.severity, "meaning": SEVERITIES[result.severity]},
    }


def text(finding: LintFinding) -> str:
    """The fault and its remedy, in one piece."""
    about = f"CONFIG_{finding.option}: " if finding.option else ""
    write = f" Write {', '.join(finding.write)}." if finding.write else ""
    return f"{about}{finding.message}.{write}"


LEVELS = {True: "error", False: "notice"}


def annotation_lines(result: LintResult) -> Iterator[str]:
    """A line each. No value can end a command or begin another one."""
    for finding in result.findings:
        yield _annotation(finding)


def _annotation(finding: LintFinding) -> str:
    place = [f"file={annotation_property(finding.file)}"]
    if finding.line:
        place.append(f"line={finding.line}")
    place.append(f"title={annotation_property(f'{finding.rule} [{finding.severity}]')}")
    return f"::{LEVELS[finding.hard]} {','.join(place)}::{annotation_message(text(finding))}"
