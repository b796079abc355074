"""The frame of SARIF 2.1.0 around what a verb found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from heapscope.base.languages import sarif_text
from heapscope.base.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_document(
    tool: str, rules: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """One run of `tool`. `rules`: the descriptions of rules, each with its "id"; `results`: what
    sarif_result made."""
    driver = {"name": tool, "version": __version__, "rules": list(rules)}
    places = {rule["id"]: place for place, rule in enumerate(rules)}
    numbered = [{**one, "ruleIndex": places[one["ruleId"]]} for one in results]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": numbered}],
    }


def sarif_result(rule: str, *, level: str, text: str, file: str, line: int) -> dict[str, Any]:
    """A finding at a line of a file; a line of 0 stands for the whole file."""
    place = {
        "artifactLocation": {"uri": quote(Path(file).as_posix())},
        "region": {"startLine": max(line, 1)},
    }
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": sarif_text(text)},
        "locations": [{"physicalLocation": place}],
    }
