"""Findings for people: place, rule, what is wrong and what to write."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from heapscope.base.printable import printable
from heapscope.base.wording import plural
from heapscope.config.lint.finding import LintFinding, LintResult
from heapscope.config.rules import SEVERITIES


def lint_parts(result: LintResult) -> Iterator[Text]:
    for position, sentence in enumerate(_sentences(result)):
        yield Text(sentence, style="bold" if position == 0 else "")
    for note in result.notes:
        yield Text(f"note: {note}", style="dim")
    for severity, meaning in SEVERITIES.items():
        matches = [each for each in result.findings if each.severity == severity]
        if matches:
            yield Text()
            yield Text(f"{severity}: {meaning}", style="bold")
        for finding in matches:
            yield from _shown(finding)


def _sentences(result: LintResult) -> Iterator[str]:
    """The answer first."""
    hard = sum(each.hard for each in result.findings)
    soft = len(result.findings) - hard
    if not result.findings:
        yield "Nothing to say against this configuration."
    else:
        parts = [plural(hard, "error")] if hard else ["No errors"]
        if soft:
            parts.append("1 piece of advice" if soft == 1 else f"{soft:,} pieces of advice")
        yield f"{', '.join(parts)}."
    others = result.options - result.listed
    rest = (
        f"; {others:,} more that are not that release's: a project's, a component's, or another "
        "release's"
    )
    yield (
        f"{plural(result.listed, 'option')} of ESP-IDF {result.idf} set for {result.chip}"
        f"{rest if others else ''}."
    )
    if result.undecided:
        yield f"Not decided, as values are not known: {', '.join(result.undecided)}."


def _shown(finding: LintFinding) -> Iterator[Text]:
    style = "red" if finding.hard else "yellow"
    place = printable(finding.place, limit=400) if finding.line else "(defaults)"
    option = f" CONFIG_{printable(finding.option)}" if finding.option else ""
    yield Text.assemble(f"{place}: ", (finding.rule, style), option)
    yield Text(f"  {finding.message}")
    for line in finding.write:
        yield Text(f"  write {line}", style="green")
    for option_name, file, number in finding.remove:
        if not finding.write:
            shown = f"  take out line {number} of {printable(file, limit=400)}"
            yield Text(f"{shown}: CONFIG_{printable(option_name)}", style="green")
