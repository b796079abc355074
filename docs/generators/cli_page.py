"""docs/reference/cli.md, made from the help of the commands."""

from __future__ import annotations

from typing import Any

import typer
from pages import make

from heapscope.cli.app import app
from heapscope.cli.front_door import command
from heapscope.cli.group import Verb

HEAD = """\
# Command line

`make generated` makes this page from `heapscope VERB --help`.

- Exit codes: 0 done, 1 a budget or check failed, 2 could not run. A `--need` that does not fit is
  an answer, not a failure. An error is two lines on standard error: `error: FILE: cause` and
  `remedy: what to do`.
- Sizes are bytes: `65536`, `0x10000` or `64KB` (KB is 1024 bytes).
- `--json FILE` writes the result in a form with a schema: `heapscope --print schema replay` prints
  that of `replay`, and `heapscope --print schema` lists the names.
- A trace may be "-", standard input, in every verb that takes one; one argument of a command reads
  it. A pipe is kept while a verb reads it several times, in a temporary file where it is large.
- `-o` and `--output` name the file that a verb makes. A file is written beside its place as
  `.NAME.….part`, flushed to the disk and renamed, so it appears whole or not at all, and the old
  one stays until then. Only the trace of `record` and what `live` writes grow while they run. The
  next run that writes there removes the part that a killed one left. Two outputs in one place, or
  an output in the place of an input, are refused before anything is computed.
- An output that cannot be written (a full disk, standard output that is closed) is an error as any
  other, with exit code 2, in each verb and in `--help`, also where another file was written. Where
  standard error cannot be written, only the exit code tells it. A reader may end early, as
  `| head` does, unless it was to get a trace of `record`.
- Colours and the progress bar are for terminals only; `NO_COLOR=1` stops colours and bold there
  too.
- Ctrl-C ends a verb with 130, SIGTERM with 143 and SIGHUP with 129, within about a second: nothing
  was printed, no file was begun, and none that was temporary is left. A result of more than 1 MB on
  standard output is a stream and may be cut. In its first hundredths of a second a process is
  Python's alone, and ends as it does. `record` leaves the three to the program. In `live`, and in
  `log` of a stream, the first one ends the input, and the verb ends with its answer. SIGHUP or
  SIGTERM that is ignored at the start, as by `nohup`, stays ignored.
- `HEAPSCOPE_TRACEBACK=1` shows where an unexpected error happened.
"""


def markdown() -> str:
    """The whole document. Made from names and texts alone, so that it is the same under every
    version of the library that parses the command line."""
    group: Any = typer.main.get_command(app)
    sections = [
        _section("heapscope", group, "VERB"),
        _section("heapscope THING...", command(Verb), ""),
    ]
    for name in group.list_commands(None):
        verb = group.get_command(None, name)
        sections.append(_section(f"heapscope {name}", verb, _arguments(verb)))
    return "\n".join([HEAD, *sections])


def _arguments(command: Any) -> str:
    taken = [param for param in command.params if param.param_type_name == "argument"]
    names = [str(param.metavar) for param in taken]
    shown = [
        name if param.required or name.startswith("[") else f"[{name}]"
        for name, param in zip(names, taken, strict=True)
    ]
    return " ".join(shown)


def _section(title: str, command: Any, arguments: str) -> str:
    rows = "\n".join(_row(param) for param in command.params if getattr(param, "help", None))
    usage = " ".join(filter(None, (title, arguments, "[OPTIONS]")))
    return (
        f"## {title}\n\n```text\n{usage}\n\n{_text(command)}\n```\n\n"
        f"| argument or option | meaning |\n| --- | --- |\n{rows}\n"
    )


def _text(command: Any) -> str:
    parts = [command.help, command.epilog]
    return "\n\n".join(part.replace("\b\n", "").strip() for part in parts if part)


def _row(param: Any) -> str:
    if param.param_type_name == "argument":
        name = f"`{param.metavar}`"
    else:
        value = "" if param.is_flag else f" {param.metavar}"
        name = ", ".join(f"`{flag}{value}`" for flag in param.opts)
    required = " Required." if param.required else ""
    return f"| {name} | {param.help}{required} |".replace("1|2", "1\\|2")


if __name__ == "__main__":
    make("docs/reference/cli.md", markdown())
