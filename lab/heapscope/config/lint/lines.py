"""Lines as such: forms that are no option line, names, kinds of values, and repetitions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heapscope.base.choices import nearest
from heapscope.base.printable import printable
from heapscope.config.config import Config, line_of, typed
from heapscope.config.kconfig.lines import legal
from heapscope.config.kconfig.names import releases_with
from heapscope.config.kconfig.table import RELEASES
from heapscope.config.lint.finding import LintFinding, spelled_lines
from heapscope.config.setting import JudgedLine, Setting
from heapscope.config.value import FORMS, Value, parse_value

_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,16}")
_ALMOST = re.compile(r"\s*(?:export\s+)?(?:CONFIG_)?([A-Z][A-Z0-9_]+)\s*[=:]\s*(.*)")
#: How much of a name must agree for it to be a mistyped one, and for it to be worth a hint.
MISTYPED, HINT = 0.9, 0.75
#: Names that are looked up; looking takes some milliseconds each.
LOOKED_UP = 100


def line_findings(config: Config, *, whole: bool = False) -> Iterator[LintFinding]:
    """`whole`: the options have those of the project too, and none is missing."""
    looked_up = 0
    for judged in config.judged:
        setting, reason = judged.setting, judged.fate.reason
        if reason == "malformed" or setting.written != setting.written.strip():
            yield _malformed(config, judged)
        elif reason in ("kind", "unset"):
            yield _kind(config, judged)
        elif reason == "elsewhere":
            yield _elsewhere(config, judged)
        elif reason == "unknown":
            here = config.name_here(setting.written)
            if here is not None:
                yield _other_name(config, judged, here)
            elif releases_with(setting.written):
                yield _other_release(config, judged, whole)
            elif looked_up < LOOKED_UP:
                looked_up += 1
                yield _nobodys(config, judged, whole)
        elif setting.written != setting.name and not _generated(config, setting):
            yield _old_name(config, setting)
    yield from _repeated(config)


def without_effect(config: Config, judged: JudgedLine) -> str:
    """The release leaves the line out, in words."""
    text = "with a message" if judged.fate.warned else "without a word"
    return f"ESP-IDF {config.sdk} leaves the line out {text}"


def removed(setting: Setting) -> tuple[tuple[str, str, int], ...]:
    return ((setting.written, setting.file, setting.line),)


def _malformed(config: Config, judged: JudgedLine) -> LintFinding:
    setting = judged.setting
    raw = setting.read.text
    text = printable(raw)
    almost = _ALMOST.fullmatch(raw.lstrip("\ufeff"))
    name = almost[1] if almost else ""
    why = f"not an option line: '{text}'"
    if raw.startswith("\ufeff"):
        why = "a byte-order mark stands before the line, which spoils it"
    elif almost and raw.lstrip() != raw:
        why = "blanks stand before the line"
    elif "\ufffd" in raw:
        why = f"not UTF-8 text: '{text}'"
    symbol = config.table.symbols.get(name)
    value = almost[2].strip() if almost else ""
    meant = legal(value, symbol.kind) if symbol else None
    write = (f"CONFIG_{name}={printable(value)}",) if meant is not None else ()
    return LintFinding(
        rule="malformed",
        file=setting.file,
        line=setting.line,
        option=name,
        message=f"{why}; {without_effect(config, judged)}",
        write=write,
        remove=((name, setting.file, setting.line),) if name else (),
    )


def _kind(config: Config, judged: JudgedLine) -> LintFinding:
    """The intended value is written where the text begins with it: 0x2000 for a decimal number, or
    a comment behind a value."""
    setting = judged.setting
    kind = config.table.symbols[setting.name].kind
    if judged.fate.reason == "unset":
        why = f'"is not set" says nothing of an option that takes {FORMS[kind]}'
        meant = None
    else:
        why = f"'{printable(setting.text)}' is not a value of it: it takes {FORMS[kind]}"
        meant = _meant(setting.text, kind)
    values = {} if meant is None else {setting.name: meant}
    stays = _shown(config, setting.name)
    return LintFinding(
        rule="type",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"{why}; {without_effect(config, judged)}, and the option is {stays}",
        values=values,
        write=spelled_lines(config, values),
        remove=removed(setting),
    )


def _meant(text: str, kind: str) -> Value | None:
    plain = text.partition("#")[0].strip()
    if kind == "bool":
        plain = plain.strip('"')
        return {"y": True, "n": False}.get(plain.lower())
    if kind not in ("int", "hex"):
        return None
    if kind == "int" and _HEX.fullmatch(plain):
        return int(plain, 16)
    return parse_value(plain.strip('"'), "int" if kind == "int" else "hex")


def _elsewhere(config: Config, judged: JudgedLine) -> LintFinding:
    setting = judged.setting
    here = config.name_here(setting.written)
    hint = f"; on this chip it is CONFIG_{here}" if here else ""
    return LintFinding(
        rule="chip",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"ESP-IDF {config.sdk} has no such option on the {config.chip}, only on other "
        f"chips{hint}; {without_effect(config, judged)}",
        remove=removed(setting),
    )


def _other_name(config: Config, judged: JudgedLine, here: str) -> LintFinding:
    """The release has the option, but it does not take this name for it."""
    setting = judged.setting
    later = _is_later(config, setting.written)
    when = "a later ESP-IDF has this name" if later else "this name is gone"
    kind = config.table.symbols[here].kind
    value = legal(setting.text, kind)
    meant = None if value is None else typed(value, kind)
    values = {} if meant is None or config.given(here) else {here: meant}
    return LintFinding(
        rule="later-name" if later else "gone-name",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"{when}: ESP-IDF {config.sdk} calls the option CONFIG_{here}; "
        f"{without_effect(config, judged)}",
        values=values,
        write=spelled_lines(config, values),
        remove=removed(setting),
    )


def _other_release(config: Config, judged: JudgedLine, whole: bool) -> LintFinding:
    """Where the release has no option any more that begins like it, its component has moved: the
    project may have it from the registry."""
    setting = judged.setting
    known = releases_with(setting.written)
    span = known[0] if len(known) == 1 else f"{known[0]} to {known[-1]}"
    have = "has" if len(known) == 1 else "have"
    later = _is_later(config, setting.written)
    words = min(2, setting.written.count("_")) if later else 1
    moved = not whole and not _has_component(config, setting.written, words)
    rule = "later-name" if later else "gone-name"
    unless = "unless a component of the project has it, " if moved else ""
    return LintFinding(
        rule="unlisted" if moved else rule,
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"ESP-IDF {config.sdk} has no such option, {span} {have} it; {unless}"
        f"{without_effect(config, judged)}",
        remove=() if moved else removed(setting),
    )


def _has_component(config: Config, name: str, words: int) -> bool:
    """The release has an option that begins with the same words."""
    first = "_".join(name.split("_")[:words]) + "_"
    every = (config.table.symbols, config.table.elsewhere)
    return any(other.startswith(first) for names in every for other in names)


def _is_later(config: Config, name: str) -> bool:
    """The first release with the name comes after that of the configuration."""
    known = releases_with(name)
    return bool(known) and RELEASES.index(known[0]) > RELEASES.index(config.table.release)


def _nobodys(config: Config, judged: JudgedLine, whole: bool) -> LintFinding:
    """A project has options of its own and components that no table has: only a name that is nearly
    that of an option is taken for a mistyped one. Where another line has the right name, that one
    counts and this one is to go."""
    setting = judged.setting
    near = nearest(setting.written, config.table.symbols, least=HINT)
    if not near or not _is_mistyped(setting.written, near):
        hint = f"; the nearest name is CONFIG_{near}" if near else ""
        who = "no ESP-IDF has such an option; unless the project or a component of its own has it, "
        if whole:
            who = "neither ESP-IDF nor the project has such an option; "
        return LintFinding(
            rule="unlisted",
            file=setting.file,
            line=setting.line,
            option=setting.written,
            message=f"{who}{without_effect(config, judged)}{hint}",
        )
    kind = config.table.symbols[near].kind
    value = legal(setting.text, kind)
    typed_value = None if value is None else typed(value, kind)
    meant: dict[str, Value] = {}
    if typed_value is not None and not config.given(near):
        meant = {near: typed_value}
    return LintFinding(
        rule="unknown",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"there is no such option; the nearest name is CONFIG_{near}; "
        f"{without_effect(config, judged)}",
        values=meant,
        write=spelled_lines(config, meant),
        remove=removed(setting),
    )


def _is_mistyped(name: str, other: str) -> bool:
    """The same words in another order, or nearly the same letters with the same first word."""
    words, others = name.split("_"), other.split("_")
    if sorted(words) == sorted(others):
        return True
    return words[0] == others[0] and bool(nearest(name, (other,), least=MISTYPED))


def _old_name(config: Config, setting: Setting) -> LintFinding:
    line = "" if setting.value is None else line_of(config.table, setting.name, setting.value)
    return LintFinding(
        rule="old-name",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"ESP-IDF {config.sdk} calls it CONFIG_{setting.name}, and still takes the old "
        "name",
        write=(line,) if line else (),
    )


def _repeated(config: Config) -> Iterator[LintFinding]:
    """Within one file: another file's line is there to be overridden. The one that does not
    count is named where two lines differ, else the second one."""
    seen: dict[tuple[str, str], Setting] = {}
    for setting in config.all_settings:
        if not setting.file or setting.read.fault:
            continue
        key = (setting.file, config.subject(setting))
        before = seen.get(key)
        seen[key] = setting
        if before is None or (setting.name != setting.written and _generated(config, setting)):
            continue
        same = before.name == setting.name and before.value == setting.value
        first, counts = (setting, before) if same else (before, setting)
        other = "" if before.name == setting.name else f"CONFIG_{printable(counts.written)}="
        yield LintFinding(
            rule="repeated" if same else "duplicate",
            file=first.file,
            line=first.line,
            option=first.written,
            message=f"said already in line {before.line}"
            if same
            else f"line {counts.line} says '{other}{printable(counts.text)}' after it, and the "
            "last counts",
            remove=removed(first),
        )


def _shown(config: Config, name: str) -> str:
    text = config.values.text(name)
    return printable(text) if text else "without a value"


def _generated(config: Config, setting: Setting) -> bool:
    """Kconfig wrote the file, so that it knew every name in it."""
    return any(file.generated for file in config.files if file.name == setting.file)
