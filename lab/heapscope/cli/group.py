"""How every command ends: exit codes, and errors in two lines without a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from heapscope import GROUPS
from heapscope.base.errors import HeapscopeError
from heapscope.base.interrupt import ends_at_once, exit_code, raises, seen
from heapscope.base.shortage import ENOUGH, is_shortage
from heapscope.cli import other_verbs
from heapscope.cli.held_output import OUTPUT, forget, release_output
from heapscope.cli.outputs import check_places
from heapscope.cli.own_verbs import OwnVerbs, summary
from heapscope.trace.fold_sites import fold
from heapscope.trace.stream import forget_streams

#: The variable by which a shell's script asks for completions; the parser derives it by itself.
ASKS = "_HEAPSCOPE_COMPLETE"

DONE = 0  # the command did what it was asked to
UNUSABLE = 2  # could not run

TRACEBACK = "HEAPSCOPE_TRACEBACK"

#: The base of what the parser raises for a wrong command line. Typer has it, under several names.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]


class Verb(TyperCommand):
    """One verb: the files that it names are looked at before it begins. `outputs`: its parameters
    that name what it writes."""

    outputs: Sequence[str] = ()

    def invoke(self, ctx: Any) -> Any:
        forget_streams()
        fold(())
        files = {param.name for param in self.params if _names_files(param)}
        given = {
            name: _as_paths(value) if name in files else value for name, value in ctx.params.items()
        }
        names = {str(param.name): _known_as(param) for param in self.params}
        check_places(given, names, self.outputs)
        return super().invoke(ctx)


def _names_files(param: Any) -> bool:
    return getattr(getattr(param, "type", None), "name", "") == "path"


def _as_paths(value: Any) -> Any:
    """Before version 0.29 the parser has names of files as text until it calls the verb."""
    if isinstance(value, (list, tuple)):
        return [_as_paths(one) for one in value]
    return Path(value) if isinstance(value, str) else value


def _known_as(param: Any) -> str:
    """The long spelling of an option, or what the help calls an argument."""
    if param.param_type_name == "argument":
        return str(param.metavar)
    return next(str(flag) for flag in param.opts if flag.startswith("--"))


class HeapscopeGroup(TyperGroup):
    """The group of all verbs: those of this package, then those that others add."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = OwnVerbs(Verb)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """`--print schema VERB` has a value of two words."""
        if args[:2] == ["--print", "schema"] and len(args) > 2:
            args = ["--print", " ".join(args[1:])]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        others = (name for name in other_verbs.names() if name not in self.commands)
        return [*self.commands, *others]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        return other_verbs.command(cmd_name, Verb)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """A first word that names no verb may name a thing."""
        if self.get_command(ctx, args[0]) is None:
            from heapscope.cli.front_door import thing_command

            command = thing_command(args, Verb)
            if command is not None:
                return args[0], command, args
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of all verbs, for which none of this package's is imported."""
        others = [name for name in self.list_commands(ctx) if name not in self.commands]
        groups = {title: [name.rstrip("_") for name in names] for title, names in GROUPS.items()}
        for title, names in (groups | ({"Other verbs": others} if others else {})).items():
            with formatter.section(title):
                formatter.write_dl([(name, self._summary(name)) for name in names])

    def _summary(self, name: str) -> str:
        if name in self.commands:
            return summary(name).strip()
        return other_verbs.APART[name][1] if name in other_verbs.APART else self._others(name)

    def _others(self, name: str) -> str:
        return str(self.get_command(None, name).get_short_help_str(1000))

    def _main_shell_completion(self, *arguments: Any, **named: Any) -> None:
        """Answers a shell that asks for completions, by the variable that it sets."""
        if not os.environ.get(ASKS):
            return
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()
        super()._main_shell_completion(*arguments, **named)

    def main(  # type: ignore[override]  # every other argument goes through unseen
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any
    ) -> Any:
        """Runs a command line and exits; the exit code is all that the caller sees. Not
        standalone, it returns or raises instead, and leaves printing to the caller."""
        extra["standalone_mode"] = False
        if not standalone_mode:
            return super().main(args, **extra)
        _replace_what_cannot_be_encoded()
        sys.exit(self._code(args, extra))

    def invoke(self, ctx: Any) -> Any:
        try:
            raises()
            return super().invoke(ctx)
        except BrokenPipeError as gone:  # before typer sees it and exits with 1
            forget(sys.stdout if gone.filename == OUTPUT else sys.stderr)
            return DONE

    def _code(self, args: Sequence[str] | None, extra: dict[str, Any]) -> int:
        try:
            code = int(super().main(args, **extra) or DONE)
        except (KeyboardInterrupt, typer.Abort):
            return exit_code()
        except SystemExit as ended:  # completion for a shell
            code = int(ended.code or DONE)
        except Exception as error:
            if seen():
                return exit_code()
            code = _refuse(error)
        if seen():  # the parser makes an exit code of it, and a library may have made nothing
            return exit_code()
        ends_at_once()
        try:
            release_output()
        except BrokenPipeError:
            forget(sys.stdout)
            return DONE
        except OSError as error:
            forget(sys.stdout)
            return _refuse(error)
        return code


def _refuse(error: Exception) -> int:
    """Says why on standard error, where that can be written. The exit code of it."""
    message, remedy = _explain(error)
    try:
        if os.environ.get(TRACEBACK):
            traceback.print_exc()
        print(f"error: {_harmless(message)}", file=sys.stderr)
        if remedy:
            print(f"remedy: {_harmless(remedy)}", file=sys.stderr)
        sys.stderr.flush()
    except OSError:
        forget(sys.stderr)
    return UNUSABLE


def _explain(error: Exception) -> tuple[str, str]:
    if is_shortage(error):
        return "the host has too little memory for this", ENOUGH
    if isinstance(error, HeapscopeError):
        return error.message, error.remedy
    if isinstance(error, UsageError):
        return _usage(error)
    if isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename else ""
        return f"{name}{error.strerror}", "check the place, its permissions and the room there"
    return (
        f"a fault of Heapscope, not of your input: {type(error).__name__}: {error}",
        f"report it with the command line; {TRACEBACK}=1 shows where it happened",
    )


def _usage(error: Any) -> tuple[str, str]:
    path = error.ctx.command_path if getattr(error, "ctx", None) else "heapscope"
    return error.format_message(), f"{path} --help"


def _harmless(text: str) -> str:
    """Names of files may hold anything; a terminal must not act on it."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def _replace_what_cannot_be_encoded() -> None:
    """A terminal without UTF-8 gets question marks, not an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
