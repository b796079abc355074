"""Values that the release's program does not take: numbers out of range, options that cannot be set
here, choices that hold another member."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.base.printable import printable
from heapscope.config.config import Config
from heapscope.config.kconfig.condition import names_in, parse_condition, written
from heapscope.config.lint.finding import LintFinding, spelled_lines
from heapscope.config.lint.lines import removed, without_effect
from heapscope.config.rules import Check, Rule, all_rules
from heapscope.config.setting import JudgedLine, Setting
from heapscope.config.value import Value, value_text

_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_PARTS_MAX = 4  # conditions in a message
#: Options in bytes, by their names. No chip has 1 MiB for stacks inside.
_SIZE = re.compile(r"(?:_SIZE|_STACK|STACKSIZE|_BYTES)(?:$|_)")
STACK_MAX = (1 << 20) - 1


def value_findings(config: Config) -> Iterator[LintFinding]:
    """One for each line whose option has another value in the end. The section of old names and
    lines that later ones replace are no fault."""
    for judged in config.judged:
        finding = _finding(config, judged) or _beyond(config, judged)
        if finding is not None and judged.setting.file:
            yield finding


def _finding(config: Config, judged: JudgedLine) -> LintFinding | None:
    reason = judged.fate.reason
    if reason == "range":
        return _range(config, judged)
    if reason not in ("hidden", "fixed", "selected", "choice"):
        return None
    setting = judged.setting
    if reason == "hidden" and _hangs_on_project(config, setting):
        return None
    rule: str = reason
    say = _why(config, judged)
    result = _published(config, setting)
    if result is not None:
        rule, say = result[0].id, f"{_sentence(config, setting, result[1])}: {say}"
    elif reason == "hidden":
        rule = "depends"
    off: dict[str, Value] = {}
    if reason == "hidden" and judged.fate.final == "n" and not config.in_choice(setting.name):
        off = {setting.name: False}  # as it is without the line
    return LintFinding(
        rule=rule,
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=say,
        values=off,
        write=spelled_lines(config, off),
        remove=() if off else removed(setting),
    )


def _beyond(config: Config, judged: JudgedLine) -> LintFinding | None:
    """A size that Kconfig takes, since it has no range for it, and that no chip can give."""
    setting = judged.setting
    value = config.value(setting.name)
    if not isinstance(value, int) or isinstance(value, bool) or not _SIZE.search(setting.name):
        return None
    beyond = value < 0 or (value > STACK_MAX and "STACK" in setting.name)
    if judged.fate.reason or not beyond:
        return None
    default = config.default(setting.name)
    mended: dict[str, Value] = {} if default is None else {setting.name: default}
    return LintFinding(
        rule="size",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"{printable(setting.text)} bytes: Kconfig takes it, but no "
        + ("size is below 0" if value < 0 else "chip has so many for a stack"),
        values=mended,
        write=spelled_lines(config, mended),
        remove=() if mended else removed(setting),
    )


def _range(config: Config, judged: JudgedLine) -> LintFinding:
    setting = judged.setting
    bounds = config.judging.range_of(setting.name)
    assert bounds is not None
    low, high = bounds
    value = setting.value if isinstance(setting.value, int) else 0
    mended: dict[str, Value] = {setting.name: max(low, min(high, value))}
    rule = next(
        (each.id for each in all_rules() if setting.name in _names_here(config, each)), "range"
    )
    text = "with a message" if judged.fate.warned else "without a word"
    return LintFinding(
        rule=rule,
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"{printable(setting.text)} is out of range, which is {low}..{high} here; ESP-IDF "
        f"{config.sdk} takes the default {text}: {judged.fate.final or 'none'}",
        values=mended,
        write=spelled_lines(config, mended),
    )


def _names_here(config: Config, rule: Rule) -> set[str | None]:
    return {config.name_here(name) for name in rule.ranges}


def _why(config: Config, judged: JudgedLine) -> str:
    """Why the option does not have the value, and what it has instead."""
    setting, reason = judged.setting, judged.fate.reason
    stays = f"the option is {printable(judged.fate.final) or 'without a value'}"
    if reason == "fixed":
        return f"no file can set it, Kconfig works it out: {stays}"
    if reason == "selected":
        names = ", ".join(f"CONFIG_{name}" for name in config.judging.selectors(setting.name))
        return f"{names} selects it, which no line undoes: {stays}"
    if reason == "choice":
        choice = config.table.symbols[setting.name].choice
        held = config.judging.selection(choice)
        if held == setting.name:
            return "n changes nothing in a choice: set another member to y instead"
        return f"the choice holds CONFIG_{held}"
    prompt = config.table.symbols[setting.name].prompt or ""
    missing = [written(part) for part in config.judging.failing(parse_condition(prompt))]
    more = ", ..." if len(missing) > _PARTS_MAX else ""
    needs = ", ".join(missing[:_PARTS_MAX]) + more
    return f"{without_effect(config, judged)}, as it needs {needs}: {stays}"


def _hangs_on_project(config: Config, setting: Setting) -> bool:
    """A part of the condition that does not hold is about an option that only a project has."""
    prompt = config.table.symbols[setting.name].prompt or ""
    return any(
        name not in config.table.symbols and name not in config.table.elsewhere
        for part in config.judging.failing(parse_condition(prompt))
        for name in names_in(part)
        if _NAME.fullmatch(name)
    )


def _published(config: Config, setting: Setting) -> tuple[Rule, Check] | None:
    """The published rule that the line would break, were it taken."""
    scope = _AsWritten(config, setting)
    for rule in all_rules():
        for check in rule.checks if rule.severity == "K" else ():
            about = setting.name in {config.name_here(name) for name in check.lines}
            if about and check.counts_in(config.sdk) and check.broken(scope):
                return rule, check
    return None


def _sentence(config: Config, setting: Setting, check: Check) -> str:
    scope = _AsWritten(config, setting)
    return check.sentence(lambda name: _text(scope.value(name)))


def _text(value: Value | None) -> str:
    return "?" if value is None else value_text(value)


@dataclass(frozen=True, kw_only=False)
class _AsWritten:
    """The configuration, had it taken one of its lines."""

    config: Config
    setting: Setting

    def value(self, name: str) -> Value | None:
        if self.config.name_here(name) == self.setting.name:
            return self.setting.value
        return self.config.value(name)

    def given(self, name: str) -> bool:
        return self.config.given(name)

    def changed(self, name: str) -> bool:
        return self.config.changed(name)
