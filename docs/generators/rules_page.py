"""docs/reference/rules.md, made from the rules."""

from __future__ import annotations

from collections.abc import Iterator

from pages import make

from heapscope.config.rules import AREAS, HARD, SEVERITIES, Check, Rule, all_rules

HEAD = """\
# Rules between options

[`heapscope lint`](../guide/lint.md) checks these rules. `make generated` makes this page from
`lab/heapscope/data/rules`.

Sources are files of ESP-IDF, its development branch of July 2026. Nothing here was run on hardware.

| severity | meaning | exit code |
| --- | --- | --- |
"""

CHECKS = """\

A check reads "condition: requirement", in Kconfig's language with sums on top: `given(X)` says that
a file sets X, `changed(X)` that it does so to another value than the default. A requirement with a
value that is not known says nothing; the output lists such rules as not decided.
"""

UNDECIDED = """
## Rules that files cannot decide

| rule | severity | what it says | why the files cannot tell | source |
| --- | --- | --- | --- | --- |
"""


def markdown() -> str:
    return "".join(_parts())


def _parts() -> Iterator[str]:
    yield HEAD
    for severity, meaning in SEVERITIES.items():
        yield f"| {severity} | {meaning} | {1 if severity in HARD else 0} |\n"
    yield CHECKS
    for area, title in AREAS.items():
        rules = [rule for rule in all_rules() if rule.area == area and not rule.undecided]
        yield f"\n## {title}\n\n"
        yield "| rule | severity | what it says | checked | source |\n"
        yield "| --- | --- | --- | --- | --- |\n"
        yield from map(_row, rules)
    yield UNDECIDED
    for rule in all_rules():
        if rule.undecided:
            yield _cells(rule.id, rule.severity, rule.text, rule.undecided, rule.source)


def _row(rule: Rule) -> str:
    checked = [_check(check) for check in rule.checks]
    if rule.ranges:
        checked.append("ranges of numbers")
    if not checked:
        checked.append("line by line")
    return _cells(rule.id, rule.severity, rule.text, "<br>".join(checked), rule.source)


def _check(check: Check) -> str:
    when = f"`{check.when_text}`: " if check.when_text else ""
    versions = f" (ESP-IDF {check.since} and later)" if check.since else ""
    versions = f" (ESP-IDF before {check.before})" if check.before else versions
    return f"{when}`{check.must_text}`{versions}"


def _cells(*texts: str) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |\n"


if __name__ == "__main__":
    make("docs/reference/rules.md", markdown())
