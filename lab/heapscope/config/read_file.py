"""A configuration file, whichever of the three forms it has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.config.lines import REMEDY, SettingLine, read_json, read_text
from heapscope.errors import InputError
from heapscope.trace.names import printable
from heapscope.trace.sniff import check_no_trace
from heapscope.trace.source import Blocks, open_blocks

_SIZE_MAX = 16 << 20  # bytes; a real one has some 100 KB


@dataclass(frozen=True, kw_only=True)
class ConfigFile:
    """`version`: what the file says of its SDK, as it says it; "": nothing."""

    name: str
    lines: tuple[SettingLine, ...]
    version: str = ""
    generated: bool = False

    def said(self, option: str) -> str:
        """The last value of a string option, without quotes; "": it is not in the file."""
        values = [line.text.strip('"') for line in self.lines if line.name == option]
        return values[-1] if values else ""


def read_config_file(path: str | Path) -> ConfigFile:
    """ "-" is standard input; .zst is taken off. InputError names file, line and cause."""
    with open_blocks(path) as blocks:
        content = _content(blocks)
        name = blocks.name
    if content.lstrip().startswith(b"{"):
        text = read_json(_decoded(content, name), file=name)
    else:
        text = read_text(_decoded(content, name), file=name)
    file = ConfigFile(name=name, lines=text.lines, version=text.version, generated=text.generated)
    # The version that the project was begun with, where the header has none.
    return file if text.version else replace(file, version=file.said("IDF_INIT_VERSION"))


def _content(blocks: Blocks) -> bytes:
    content = b""
    for block in blocks:
        content += block
        check_no_trace(content, name=blocks.name, wanted="a configuration", remedy=REMEDY)
        if len(content) > _SIZE_MAX:
            raise InputError(
                f"{blocks.name}: more than {_SIZE_MAX >> 20} MiB, too long for an sdkconfig",
                remedy=REMEDY,
            )
    if blocks.loss is not None:
        raise InputError(f"{blocks.name}: {blocks.loss.sentence()}", remedy="check the file")
    return content


def _decoded(content: bytes, file: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        shown = content.splitlines()[line - 1].strip() if content else b""
        raise InputError(
            f"{file}, line {line}: no option: '{printable(shown)}' is not UTF-8 text", remedy=REMEDY
        ) from None
