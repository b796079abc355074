"""Numbers out of range, options whose dependencies are off, options of other chips."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from heapscope.choices import nearest
from heapscope.config.config import Config, Setting, out_of_range
from heapscope.config.kconfig_tree import IgnoredSetting
from heapscope.config.option import Option
from heapscope.config.tables import of_other_chips, option_table
from heapscope.config.value import Value
from heapscope.lint.finding import LintFinding, spelled_lines
from heapscope.trace.names import printable


def value_findings(config: Config) -> Iterator[LintFinding]:
    """One at most for each option, of the line that counts."""
    for setting in config.settings.values():
        option = option_table().get(setting.name)
        if option is None or setting.value is None or setting.automatic:
            continue
        # An option that is left out anyway has no value to mend.
        finding = _chip(config, setting, option) or _depends(config, setting, option)
        finding = finding or _range(config, setting, option)
        if finding is not None:
            yield finding


def _range(config: Config, setting: Setting, option: Option) -> LintFinding | None:
    value = setting.value
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    limits = out_of_range(config, option, value)
    if not limits:
        return None
    first = limits[0]
    mended = {setting.name: max(first.low, min(first.high, value))}
    shown = " or ".join(f"{each.low}..{each.high}" for each in limits)
    return LintFinding(
        rule=first.rule,
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"{value} is out of range, which is {shown} here",
        values=mended,
        write=spelled_lines(config, mended),
    )


def _chip(config: Config, setting: Setting, option: Option) -> LintFinding | None:
    if setting.value is False or not of_other_chips(option, config.chip):
        return None
    chips = ", ".join(option.defaults)
    return LintFinding(
        rule="chip",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"the {config.chip} has no such option; it is one of {chips}",
        remove=((setting.written, setting.file, setting.line),),
    )


def _depends(config: Config, setting: Setting, option: Option) -> LintFinding | None:
    """A line that Kconfig wrote has what it needs, and "n" needs nothing."""
    generated = any(file.generated for file in config.files if file.name == setting.file)
    if generated or setting.value is False or config.possible(setting.name) is not False:
        return None
    values: dict[str, Value] = {setting.name: False} if option.kind == "bool" else {}
    line = (setting.written, setting.file, setting.line)
    return LintFinding(
        rule="depends",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"left out, as what it depends on is off: {option.depends_text}",
        values=values,
        write=spelled_lines(config, values),
        remove=() if values else (line,),
    )


def refused_findings(config: Config, refusals: Iterable[IgnoredSetting]) -> Iterator[LintFinding]:
    """`config`: with the tree's values."""
    for refusal in refusals:
        setting = refusal.setting
        yield LintFinding(
            rule="kconfig",
            file=setting.file,
            line=setting.line,
            option=setting.written,
            message=_message(config, refusal),
            remove=((setting.written, setting.file, setting.line),),
        )


def _message(config: Config, refusal: IgnoredSetting) -> str:
    if not refusal.known:
        near = nearest(refusal.setting.written, config.tree)
        hint = f"; the nearest name is CONFIG_{near}" if near else ""
        return f"this ESP-IDF has no such option{hint}"
    if refusal.became is None:
        return "left out: what the option depends on is off"
    return f"Kconfig makes it {printable(refusal.became)}"
