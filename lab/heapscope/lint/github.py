"""Findings as commands of GitHub Actions, which show them at the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.lint.finding import LintFinding, LintResult
from heapscope.lint.sarif import text

LEVELS = {True: "error", False: "notice"}


def annotation_lines(result: LintResult) -> Iterator[str]:
    """A line each. No value can end a command or begin another one."""
    for finding in result.findings:
        yield _annotation(finding)


def _annotation(finding: LintFinding) -> str:
    place = [f"file={_property(finding.file)}"]
    if finding.line:
        place.append(f"line={finding.line}")
    place.append(f"title={_property(f'{finding.rule} [{finding.severity}]')}")
    return f"::{LEVELS[finding.hard]} {','.join(place)}::{_message(text(finding))}"


def _message(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _message(value).replace(":", "%3A").replace(",", "%2C")
