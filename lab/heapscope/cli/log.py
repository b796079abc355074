"""How `heapscope log` follows a stream."""

from __future__ import annotations

from heapscope.cli.call import Call
from heapscope.cli.happenings import report_at_once
from heapscope.cli.verbs.options import Json, JsonBrief


def log(call: Call, *, json: Json = None, json_brief: JsonBrief = None) -> None:
    with report_at_once(call.given["source"], json) as follow:
        result = call.answer(on_happening=follow.say, stop=follow.stop)
    call.give(json, result, brief=json_brief)
