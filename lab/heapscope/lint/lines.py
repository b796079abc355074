"""Names, types and repetitions: what is wrong with lines as such."""

from __future__ import annotations

import re
from collections.abc import Iterator

from heapscope.choices import nearest
from heapscope.config.config import Config, Setting
from heapscope.config.renames import renamed_in, spelled_in
from heapscope.config.tables import SDKS, option_table
from heapscope.config.value import FORMS, Value, config_line, parse_value
from heapscope.lint.finding import LintFinding, spelled, spelled_lines
from heapscope.trace.names import printable

_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,16}")
#: How much of a name must agree for it to be a mistyped one, and for it to be worth a hint.
MISTYPED, HINT = 0.9, 0.75
#: Names that are looked up; looking takes some milliseconds each.
LOOKED_UP = 100

#: Components whose options are all in the table.
LISTED = ("ESP_WIFI_", "ESP_PHY_", "HEAP_", "LWIP_", "MBEDTLS_", "SPIRAM_", "SPI_FLASH_")
#: Options that a rule of its own speaks of.
GONE = ("MBEDTLS_DYNAMIC_FREE_PEER_CERT",)


def line_findings(config: Config) -> Iterator[LintFinding]:
    looked_up = 0
    for setting in config.all_settings:
        if setting.automatic:
            continue
        option = option_table().get(setting.name)
        if option is not None and setting.value is None:
            yield _type(config, setting, option.kind)
        yield from _name(config, setting)
        if option is None and not _generated(config, setting) and looked_up < LOOKED_UP:
            looked_up += 1
            yield from _unknown(config, setting)
    yield from _repeated(config)


def _type(config: Config, setting: Setting, kind: str) -> LintFinding:
    """The intended value is written where the text begins with it: 0x2000 for a decimal number, or
    a comment behind a value."""
    meant = _meant(setting.text, kind)
    values = {} if meant is None else {setting.name: meant}
    return LintFinding(
        rule="type",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"'{printable(setting.text)}' is not a value of it: it takes {FORMS[kind]}",
        values=values,
        write=spelled_lines(config, values),
        remove=((setting.written, setting.file, setting.line),),
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


def _name(config: Config, setting: Setting) -> Iterator[LintFinding]:
    """An old name, or one that comes with a later SDK; of a file that Kconfig wrote, neither."""
    now = spelled_in(setting.name, config.chip, config.sdk)
    if setting.name in config.tree or _generated(config, setting):
        return
    if now.name == setting.written:
        option = option_table().get(setting.written)
        if option and option.since and SDKS.index(config.sdk) < SDKS.index(option.since):
            yield _finding(
                "later-name", setting, f"ESP-IDF {config.sdk} does not have it yet", remove=True
            )
        return
    if renamed_in(setting.written, config.chip, config.sdk) is not None:
        opposite = ", which says the opposite" if setting.inverted != now.inverted else ""
        yield _finding(
            "old-name",
            setting,
            f"ESP-IDF {config.sdk} calls it CONFIG_{now.name}{opposite}",
            write=_rewritten(config, setting),
        )
    else:
        yield _finding(
            "later-name",
            setting,
            f"ESP-IDF {config.sdk} calls it CONFIG_{now.name}",
            write=_rewritten(config, setting),
            remove=True,
        )


def _rewritten(config: Config, setting: Setting) -> tuple[str, ...]:
    return () if setting.value is None else (spelled(config, setting.name, setting.value),)


def _unknown(config: Config, setting: Setting) -> Iterator[LintFinding]:
    """A project has options of its own and components that the table has not: alone what is nearly
    a known name, or begins like one, is worth a word."""
    if setting.name in GONE or setting.name in config.tree:
        return
    listed = setting.name.startswith(LISTED)
    near = nearest(setting.name, option_table(), least=HINT if listed else MISTYPED)
    mistyped = near and nearest(setting.name, (near,), least=MISTYPED)
    if mistyped:
        yield _mistyped(config, setting, near)
    elif listed:
        hint = f"; the nearest name is CONFIG_{near}" if near else ""
        yield _finding("unlisted", setting, f"not among the options of its component{hint}")


def _mistyped(config: Config, setting: Setting, near: str) -> LintFinding:
    """Where another line has the right name, that one counts and this one is to go."""
    value = parse_value(setting.text, option_table()[near].kind)
    meant: dict[str, Value] = {}
    if value is not None and not config.given(near):
        meant = {near: value}
    return LintFinding(
        rule="unknown",
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=f"there is no such option; the nearest name is CONFIG_{near}",
        values=meant,
        write=spelled_lines(config, meant),
        remove=((setting.written, setting.file, setting.line),),
    )


def _repeated(config: Config) -> Iterator[LintFinding]:
    """Within one file: what another file says before is there to be overridden."""
    seen: dict[tuple[str, str], Setting] = {}
    for setting in config.all_settings:
        key = (setting.file, setting.name)
        before = seen.get(key)
        seen[key] = setting
        if before is None:
            continue
        if before.text == setting.text:
            message = f"said already in line {before.line}"
            yield _finding("repeated", setting, message, remove=True)
            continue
        shown = config_line(setting.name, setting.value) if setting.value is not None else "this"
        yield LintFinding(
            rule="duplicate",
            file=setting.file,
            line=setting.line,
            option=setting.written,
            message=f"line {before.line} says '{printable(before.text)}', here it is "
            f"'{printable(setting.text)}'; the last counts: {printable(shown)}",
            remove=((before.written, before.file, before.line),),
        )


def _finding(
    rule: str, setting: Setting, message: str, *, write: tuple[str, ...] = (), remove: bool = False
) -> LintFinding:
    return LintFinding(
        rule=rule,
        file=setting.file,
        line=setting.line,
        option=setting.written,
        message=message,
        write=write,
        remove=((setting.written, setting.file, setting.line),) if remove else (),
    )


def _generated(config: Config, setting: Setting) -> bool:
    """Kconfig wrote the file, so that it knew every name in it."""
    return any(file.generated for file in config.files if file.name == setting.file)
