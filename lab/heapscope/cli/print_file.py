"""Files that the command prints of itself: completion for shells, its manual, JSON schemas, and
what builds include."""

from __future__ import annotations

from typing import Any

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.cli.builds.files import FILES, build_file
from heapscope.cli.group import ASKS

SHELLS = ("bash", "zsh", "fish", "powershell")
MAN = "man"
SCHEMA = "schema"

#: All that --print knows.
NAMES = (*SHELLS, MAN, SCHEMA, *FILES)


def printed_file(name: str, group: Any) -> str:
    """The text of a file: one of NAMES, or "schema VERB"; "schema" alone lists the documents.
    `group`: the parser of the command line. InputError: no such file."""
    if name in SHELLS:
        from typer.completion import get_completion_script  # type: ignore[attr-defined]

        text = get_completion_script(prog_name="heapscope", complete_var=ASKS, shell=name)
        return f"{text}\n"
    if name == MAN:
        from heapscope.cli.man_page import man_page

        return man_page(group)
    if name == SCHEMA or name.startswith(f"{SCHEMA} "):
        return _schema(name.removeprefix(SCHEMA).strip())
    if name in FILES:
        return build_file(name)
    raise InputError(
        f"--print {name}: no such file",
        remedy=f"{did_you_mean(name, NAMES)}valid: {', '.join(NAMES)}",
    )


def _schema(name: str) -> str:
    import json

    from heapscope.cli.schemas import schema_names, schema_of

    if not name:
        return "".join(f"{one}\n" for one in schema_names())
    return json.dumps(schema_of(name), indent=2, ensure_ascii=False) + "\n"
