"""The budgets of `heapscope import`."""

from __future__ import annotations

from heapscope.cli.answer import print_answer, wants_tables, write_answer
from heapscope.cli.call import Call
from heapscope.cli.fail_on import FailOn, fail, needs_of, parsed
from heapscope.cli.verbs.options import Json, JsonBrief


def import_(
    call: Call, *, fail_on: FailOn = (), json: Json = None, json_brief: JsonBrief = None
) -> None:
    budgets = parsed(fail_on, "import")
    result = call.answer(need=[*call.get("need", ()), *needs_of(budgets)])
    write_answer(result, json, json_brief, inputs=call.inputs)
    if wants_tables(json, json_brief, call.get("out"), call.get("left_out")):
        print_answer(result)
    if budgets:
        from heapscope.cli.verbs.fail_on import of_import

        fail(of_import(budgets, result))
