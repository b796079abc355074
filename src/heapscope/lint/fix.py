"""A fragment of sdkconfig.defaults that mends what was found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.config.config import Config
from heapscope.config.renames import newest
from heapscope.config.value import Value
from heapscope.lint.find import lint
from heapscope.lint.finding import Finding
from heapscope.lint.spell import spelled

__all__ = ["Fix", "fragment", "mend"]

_ROUNDS = 60  # a mended value can break the next rule; each round mends one


@dataclass(frozen=True, kw_only=True)
class Fix:
    """`values`: by newest name, with the findings that ask for each. `lines`: whole lines of
    findings about names. `left`: what no line can mend; `advice`: what a line could, if the user
    wants it. `config`: with all values in it."""

    values: dict[str, tuple[Value, tuple[Finding, ...]]]
    lines: tuple[tuple[str, Finding], ...]
    left: tuple[Finding, ...]
    advice: tuple[Finding, ...]
    config: Config


def mend(config: Config) -> Fix:
    """B, K and R findings one after the other, the worst first; then advice on what that gives."""
    values: dict[str, tuple[Value, tuple[Finding, ...]]] = {}
    lines: dict[str, Finding] = {}
    left: dict[tuple[str, str, int], Finding] = {}
    now = config
    for _ in range(_ROUNDS):
        hard = [each for each in lint(now).findings if each.hard and _key(each) not in left]
        if not hard:
            break
        finding = hard[0]
        # Two rules that pull one option to and fro: the first one keeps it.
        wanted = {
            name: value
            for name, value in finding.values.items()
            if sum(finding.rule == each.rule for each in values.get(name, (0, ()))[1]) < 2
        }
        for name, value in wanted.items():
            values[name] = (value, (*values.get(name, (value, ()))[1], finding))
        if not wanted or finding.remove:
            left[_key(finding)] = finding
        if not wanted:
            lines.update((line, finding) for line in finding.write)
        gone = [config.settings[name].name for name in _names(now, finding)]
        now = now.without(gone).changed_to(wanted)
    advice = tuple(
        each
        for each in lint(now).findings
        if not each.hard and each.write and not _replaced(now, each, values)
    )
    return Fix(
        values=values,
        lines=tuple(lines.items()),
        left=tuple(each for each in left.values() if each.remove or not each.write),
        advice=advice,
        config=now,
    )


def fragment(config: Config, fix: Fix) -> str:
    """Every line with its reason above it: Kconfig knows no comment behind a value. Advice stays a
    comment, for the user to take or leave."""
    return "\n".join(_text(config, fix)) + "\n"


def _text(config: Config, fix: Fix) -> Iterator[str]:
    yield "# What `heapscope lint` would write instead: give this file last, or paste its lines."
    yield f"# For {config.chip}, ESP-IDF {config.sdk}."
    if not (fix.values or fix.lines or fix.left or fix.advice):
        yield "# Nothing to mend."
    for name, (value, findings) in fix.values.items():
        yield ""
        yield from dict.fromkeys(_reason(each) for each in findings)
        yield spelled(config, name, value)
    for line, finding in fix.lines:
        yield ""
        yield _reason(finding)
        yield line
    for finding in fix.left:
        for option, file, number in finding.remove:
            yield ""
            yield _reason(finding)
            yield f"#   take CONFIG_{option} out of {file}, line {number}"
    for finding in fix.advice:
        yield ""
        yield _reason(finding)
        yield from (f"#   {line}" for line in finding.write)


def _reason(finding: Finding) -> str:
    where = f" ({finding.place})" if finding.line else ""
    return f"# {finding.rule} [{finding.severity}]{where}: {finding.message}"


def _key(finding: Finding) -> tuple[str, str, int]:
    return finding.rule, finding.file, finding.line


def _replaced(
    config: Config, finding: Finding, values: dict[str, tuple[Value, tuple[Finding, ...]]]
) -> bool:
    """About the name on a line whose option the fragment sets anyway, under the right name."""
    option = newest(finding.option, config.chip).name
    return finding.rule == "old-name" and option in values


def _names(config: Config, finding: Finding) -> list[str]:
    """Options whose counting line is to go."""
    places = {(file, line) for _, file, line in finding.remove}
    return [name for name, each in config.settings.items() if (each.file, each.line) in places]
