"""Numbers out of range, options whose dependencies are off, options of other chips."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heapscope.config.config import Config, Setting
from heapscope.config.limits import out_of_range
from heapscope.config.option import Option
from heapscope.config.tables import CHIPS, option_table
from heapscope.config.value import Value
from heapscope.lint.finding import Finding
from heapscope.lint.spell import spelled_lines

__all__ = ["value_findings"]

_CHIP_NAME = re.compile(r"ESP32(?:[A-Z][0-9]+)?(?=_)")


def value_findings(config: Config) -> Iterator[Finding]:
    """One at most for each option, of the line that counts."""
    for setting in config.settings.values():
        option = option_table().get(setting.name)
        if option is None or setting.value is None or setting.automatic:
            continue
        finding = _range(config, setting, option) or _chip(config, setting, option)
        finding = finding or _depends(config, setting, option)
        if finding is not None:
            yield finding


def _range(config: Config, setting: Setting, option: Option) -> Finding | None:
    value = setting.value
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    limits = out_of_range(config, option, value)
    if not limits:
        return None
    first = limits[0]
    mended = {setting.name: max(first.low, min(first.high, value))}
    shown = " or ".join(f"{each.low}..{each.high}" for each in limits)
    return Finding(
        rule=first.rule,
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"{value} is out of range, which is {shown} here",
        values=mended,
        write=spelled_lines(config, mended),
    )


def _chip(config: Config, setting: Setting, option: Option) -> Finding | None:
    """Only what says it by its name or, for PSRAM, by its defaults: that an option is in no default
    build of a chip is no proof that the chip has none."""
    if setting.value is False or not option.defaults or config.chip in option.defaults:
        return None
    named = _CHIP_NAME.match(option.name)
    if option.name != "SPIRAM" and (named is None or named[0].lower() not in CHIPS):
        return None
    chips = ", ".join(option.defaults)
    return Finding(
        rule="chip",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"the {config.chip} has no such option; it is one of {chips}",
        remove=((setting.written, setting.file, setting.line),),
    )


def _depends(config: Config, setting: Setting, option: Option) -> Finding | None:
    """A line that Kconfig wrote has what it needs, and "n" needs nothing."""
    generated = any(file.generated for file in config.files if file.name == setting.file)
    if generated or setting.value is False or config.possible(setting.name) is not False:
        return None
    values: dict[str, Value] = {setting.name: False} if option.kind == "bool" else {}
    line = (setting.written, setting.file, setting.line)
    return Finding(
        rule="depends",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"left out, as what it depends on is off: {option.depends_text}",
        values=values,
        write=spelled_lines(config, values),
        remove=() if values else (line,),
    )
