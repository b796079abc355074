"""The manual page, made from the parser of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from heapscope.base.version import __version__

_FILES = """\
.SH FILES
.TP
.I heapscope.toml
The budgets that
.B heapscope check
holds.
.TP
.I heapscope\\-measured.toml
Figures of a board of your own, beside a configuration.
.SH ENVIRONMENT
.TP
.B NO_COLOR
No colours and no bold, on a terminal too.
.TP
.B HEAPSCOPE_TRACEBACK
Set to 1, it shows where an unexpected error happened.
.SH EXIT STATUS
.TP
0
The command did what it was asked to.
.TP
1
A budget or a check failed.
.TP
2
It could not run. Standard error says why, and what to do.
.TP
130
Ctrl\\-C ended it.
"""


def man_page(group: Any) -> str:
    """The page in the language of man. It names no date: the same parser makes the same page."""
    lines = [
        f'.TH HEAPSCOPE 1 "" "heapscope {_escaped(__version__)}" "User Commands"',
        ".SH NAME",
        f"heapscope \\- {_escaped(_first(group.help))}",
        ".SH SYNOPSIS",
        ".B heapscope",
        ".RI VERB",
        ".RI [ OPTIONS ]",
        ".SH DESCRIPTION",
        *list(_paragraphs(group.help))[1:],
        *_options(group),
        *_paragraphs(group.epilog),
        ".SH VERBS",
        *(line for name in group.list_commands(None) for line in _verb(group, name)),
    ]
    return "\n".join(lines) + "\n" + _FILES


def _verb(group: Any, name: str) -> Iterator[str]:
    command = group.get_command(None, name)
    arguments = [_argument(one) for one in command.params if one.param_type_name == "argument"]
    yield f'.SS "heapscope {_escaped(" ".join([name, *arguments, "[OPTIONS]"]))}"'
    yield from list(_paragraphs(command.help))[1:]  # a heading begins a paragraph by itself
    yield from _options(command)


def _argument(param: Any) -> str:
    name = str(param.metavar)
    return name if param.required or name.startswith("[") else f"[{name}]"


def _options(command: Any) -> Iterator[str]:
    for param in command.params:
        if not getattr(param, "help", None):
            continue
        yield ".TP"
        if param.param_type_name == "argument":
            yield f".I {_escaped(str(param.metavar))}"
        else:
            value = "" if param.is_flag else f" {param.metavar}"
            flags = [*param.opts, *param.secondary_opts]
            yield ".B " + ", ".join(_escaped(f"{flag}{value}") for flag in flags)
        yield _line(param.help)


def _paragraphs(text: str | None) -> Iterator[str]:
    """The paragraphs of a help text; one that begins with \\b keeps its lines."""
    for part in re.split(r"\n\s*\n", (text or "").strip()):
        if part.startswith("\b"):
            yield from (".PP", ".nf")
            yield from (_line(line, kept=True) for line in part.removeprefix("\b\n").splitlines())
            yield ".fi"
        elif part:
            yield ".PP"
            yield _line(" ".join(part.split()))


def _first(text: str) -> str:
    return text.strip().splitlines()[0].rstrip(".")


def _line(text: str, *, kept: bool = False) -> str:
    """A line that begins with no command of the language."""
    shown = _escaped(text if kept else text.strip())
    return f"\\&{shown}" if shown[:1] in (".", "'") else shown


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
