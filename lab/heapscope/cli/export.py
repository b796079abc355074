"""How `heapscope export` ends."""

from __future__ import annotations

import sys

import typer

from heapscope.base.errors import InputError
from heapscope.cli.answer import STDOUT, print_answer, wants_tables, write_answer
from heapscope.cli.call import Call
from heapscope.cli.verbs.options import Json, JsonBrief


def export(call: Call, *, json: Json = None, json_brief: JsonBrief = None) -> None:
    from heapscope.cli.verbs.export import format_named

    form, out = call.given["to"], call.given["out"]
    if str(out) == STDOUT and format_named(form).binary and sys.stdout.isatty():
        raise InputError(
            f"{form} is binary, and standard output is a terminal",
            remedy="name a file with -o, or send the output to one",
        )
    done = call.answer()
    write_answer(done, json, json_brief, inputs=[*call.inputs, out])
    if wants_tables(out, json, json_brief):
        print_answer(done)
    elif str(out) == STDOUT:
        for message in done.messages:
            typer.echo(message, err=True)
