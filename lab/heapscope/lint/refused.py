"""The lines that a real Kconfig did not take, as findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from heapscope.config.config import Config
from heapscope.config.kconfig_tree import IgnoredSetting
from heapscope.lint.finding import LintFinding
from heapscope.nearest import nearest
from heapscope.trace.names import printable


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
