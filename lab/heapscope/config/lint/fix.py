"""A fragment of sdkconfig.defaults that mends what was found. A line that Kconfig would leave out
is mended only where every line that it takes keeps its value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from heapscope.config.config import Config
from heapscope.config.lint.find import lint
from heapscope.config.lint.finding import LintFinding
from heapscope.config.value import Value

#: The options of which other lines may stay.
_ONE_LINE = ("duplicate", "repeated", "type", "unknown", "later-name", "gone-name")
_ROUNDS = 60  # a mended value can break the next rule; each round mends one


@dataclass(frozen=True, kw_only=True)
class Fix:
    """`values`: by newest name, with the findings that ask for each. `lines`: whole lines of
    findings about names. `left`: what no line can mend; `advice`: what a line could, if the user
    wants it. `config`: with all values in it."""

    values: dict[str, tuple[Value, tuple[LintFinding, ...]]]
    lines: tuple[tuple[str, LintFinding], ...]
    left: tuple[LintFinding, ...]
    advice: tuple[LintFinding, ...]
    config: Config


def mend(config: Config) -> Fix:
    """B, K and R findings one after the other, the worst first; then advice on what that gives."""
    values: dict[str, tuple[Value, tuple[LintFinding, ...]]] = {}
    lines: dict[str, LintFinding] = {}
    left: dict[tuple[str, str, int, str], LintFinding] = {}
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
        if finding.severity == "K" and not _mends(now, finding, wanted):
            wanted = {}
        renamed = bool(finding.write) and not finding.values  # the line says it under another name
        gone = [] if renamed else _names(now, finding)
        if not wanted or finding.remove:
            left[_key(finding)] = _placed(config, finding, gone)
        if not finding.values:
            lines.update((line, finding) for line in finding.write)
        for name in gone:
            values.pop(name, None)  # a line that was to mend something, and is left out itself
        for name, value in wanted.items():
            values[name] = (value, (*values.get(name, (value, ()))[1], finding))
        now = now.without(gone).changed_to(wanted)
    advice = tuple(
        each
        for each in lint(now).findings
        if not each.hard and each.write and not _replaced(now, each, values)
    )
    return Fix(
        values=values,
        lines=tuple(
            (line, finding)
            for line, finding in lines.items()
            if _here(config, finding.option) not in values
        ),
        left=tuple(each for each in left.values() if each.remove or each.values or not each.write),
        advice=advice,
        config=now,
    )


def fragment(config: Config, fix: Fix) -> str:
    """Every line with its reason above it: Kconfig knows no comment behind a value. Advice stays a
    comment, for the user to take or leave."""
    return "\n".join(_text(config, fix)) + "\n"


def _text(config: Config, fix: Fix) -> Iterator[str]:
    yield "# `heapscope lint` would write these lines instead: give this file last, or paste them."
    yield f"# For {config.chip}, ESP-IDF {config.sdk}."
    if not (fix.values or fix.lines or fix.left or fix.advice):
        yield "# Nothing to mend."
    for name, (value, findings) in fix.values.items():
        yield ""
        yield from dict.fromkeys(_reason(each) for each in findings)
        yield config.line(name, value)
    for line, finding in fix.lines:
        yield ""
        yield _reason(finding)
        yield line
    for finding in fix.left:
        if not finding.remove:
            yield ""
            yield _reason(finding)
            yield "#   no line of this fragment mends it"
        for option, file, number in finding.remove:
            yield ""
            yield _reason(finding)
            yield f"#   take CONFIG_{option} out of {file}, line {number}"
    for finding in fix.advice:
        yield ""
        yield _reason(finding)
        yield from (f"#   {line}" for line in finding.write)


def _reason(finding: LintFinding) -> str:
    where = f" ({finding.place})" if finding.line else ""
    return f"# {finding.rule} [{finding.severity}]{where}: {finding.message}"


def _placed(config: Config, finding: LintFinding, gone: Sequence[str]) -> LintFinding:
    """With every line that the user has of options that are to go: of values that were to mend one
    the finding has no place, and an earlier line would count in place of the last."""
    if finding.rule in _ONE_LINE:
        return finding
    theirs = [each for each in config.all_settings if each.name in gone]
    kept = [each for each in finding.remove if each[2]]
    more = [(each.written, each.file, each.line) for each in theirs]
    return replace(finding, remove=tuple(dict.fromkeys([*kept, *more])))


def _key(finding: LintFinding) -> tuple[str, str, int, str]:
    return finding.rule, finding.file, finding.line, finding.option


def _replaced(
    config: Config, finding: LintFinding, values: dict[str, tuple[Value, tuple[LintFinding, ...]]]
) -> bool:
    """About the name on a line whose option the fragment sets anyway, under the right name."""
    return finding.rule == "old-name" and _here(config, finding.option) in values


def _mends(config: Config, finding: LintFinding, values: Mapping[str, Value]) -> bool:
    """Kconfig takes the values, and every line that it takes now keeps its own."""
    then = config.without(_names(config, finding)).changed_to(values)
    kept = (
        then.values.text(each.setting.name) == config.values.text(each.setting.name)
        for each in config.judged
        if each.fate.taken
        and each.setting.name in config.table.symbols
        and each.setting.name not in values
    )
    return all(then.value(name) == value for name, value in values.items()) and all(kept)


def _here(config: Config, option: str) -> str:
    return config.name_here(option) or option


def _names(config: Config, finding: LintFinding) -> list[str]:
    """Options whose counting line is to go. Values that mend have no place in a file."""
    return [
        name
        for name, each in config.settings.items()
        if (each.written, each.file, each.line) in finding.remove
    ]
