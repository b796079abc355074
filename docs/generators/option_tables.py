"""Makes data/options from the facts of each release's Kconfig files.

    python docs/generators/option_tables.py FACTS

FACTS is a folder with options-VERSION.json for each release of
`heapscope.config.kconfig.table.RELEASES`: its symbols, choices and renames as ESP-IDF's own Kconfig
program had read them at that tag, with the conditions of menus and dependencies already joined.
lab/heapscope/data/options/README.md describes the files that are made.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from heapscope.base.zstd import CompressionParameter, ZstdCompressor
from heapscope.config.kconfig.table import PARENT, RELEASES, ROOT, dictionary

TARGET = Path(__file__).parents[2] / "lab" / "heapscope" / "data" / "options"
_OPERATOR = re.compile(r'("(?:[^"\\]|\\.)*")|([|&])')
_RENAME = {"none": "", "text=": "text", "text= ": "text ", "lookup": "name"}


def main(folder: str) -> None:
    facts = {
        release: json.loads((Path(folder) / f"options-{release}.json").read_text("utf-8"))
        for release in RELEASES
    }
    order = list(dict.fromkeys(chip for release in RELEASES for chip in facts[release]["chips"]))
    texts = {release: dumped(_release(facts[release], order)) for release in RELEASES}
    for release, text in texts.items():
        parent = PARENT[release]
        write(f"{release}.zst", text, texts[parent] if parent else b"")
    write("names.zst", dumped(_names(facts, order)), texts[ROOT])


def write(name: str, text: bytes, before: bytes) -> None:
    settings = {
        CompressionParameter.compression_level: 22,
        CompressionParameter.window_log: 22,
    }
    packer = ZstdCompressor(zstd_dict=dictionary(before), options=settings)
    packer.set_pledged_input_size(len(text))
    (TARGET / name).write_bytes(packer.compress(text, ZstdCompressor.FLUSH_FRAME))


def dumped(data: Mapping[str, Any]) -> bytes:
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text.replace('],"', '],\n"').encode()


def _release(facts: Mapping[str, Any], order: list[str]) -> dict[str, Any]:
    built = _Records(facts, order)
    lines = facts["lines"]
    return {
        "release": facts["release"],
        "commit": facts["commit"],
        "order": order,
        "chips": list(facts["chips"]),
        "habits": {
            "indented": lines["prepass_strip"],
            "empty_any": lines["empty_is_n"] == "any",
            "rename": _RENAME[lines["rename"]],
            "comment": lines["comment"],
            "words": lines["name"] == "word",
            "floats": lines["float_compare"],
            "bool_numbers": lines["bool_number"],
        },
        "symbols": {
            name: [built.symbol(record) for record in _records(facts["symbols"][name])]
            for name in sorted(facts["symbols"])
        },
        "choices": {
            name: [built.choice(record) for record in _records(facts["choices"][name])]
            for name in sorted(facts["choices"])
        },
        "caps": {
            name: [kind[0], {value: built.sets[group] for value, group in values.items()}]
            for name, (kind, values) in sorted(facts["caps"].items())
        },
        "renames": [[*row[:3], built.sets[row[3]]] for row in facts["renames"]],
    }


class _Records:
    """The records of one release in our form. A set of chips is a number with a bit for each."""

    def __init__(self, facts: Mapping[str, Any], order: list[str]) -> None:
        self.sets = [sum(1 << order.index(chip) for chip in {*chips}) for chips in facts["sets"]]
        self._conditions = [_condition(text) for text in facts["x"]]

    def symbol(self, facts: Mapping[str, Any]) -> list[Any]:
        """Without the empty end; no prompt is null, a prompt that is always there is ""."""
        is_bool = facts["t"] == "bool"
        record = [
            facts["t"][0],
            self._chips(facts),
            self._if(facts.get("dep", 0)),
            self._if(facts["vis"]) if "vis" in facts else None,
            [[low, high, self._if(when)] for low, high, when in facts.get("range", ())],
            [
                [self._conditions[value] if is_bool else value, self._if(when)]
                for value, when in facts.get("def", ())
            ],
            [[name, self._if(when)] for name, when in facts.get("sel", ())],
            [[name, self._if(when)] for name, when in facts.get("imp", ())],
            facts.get("choice", ""),
        ]
        empty: list[Any] = ["", 0, "", None, [], [], [], [], ""]
        while len(record) > 2 and record[-1] == empty[len(record) - 1]:
            record.pop()
        return record

    def choice(self, facts: Mapping[str, Any]) -> list[Any]:
        defaults = [[name, self._if(when)] for name, when in facts.get("def", ())]
        return [self._chips(facts), self._if(facts["vis"]), facts["members"], defaults]

    def _chips(self, facts: Mapping[str, Any]) -> int:
        return self.sets[facts["on"]] if facts.get("on") else 0

    def _if(self, number: int) -> str:
        """ "" where it always holds."""
        text = self._conditions[number]
        return "" if text == "y" else text


def _condition(text: str) -> str:
    return _OPERATOR.sub(lambda result: result[1] or result[2] * 2, text)


def _records(facts: Any) -> Iterable[Mapping[str, Any]]:
    return facts if isinstance(facts, list) else [facts]


def _names(facts: Mapping[str, Any], order: list[str]) -> dict[str, Any]:
    """`options`: the releases of each option, a bit for each; `renames`: old and new name, 1 where
    y and n are exchanged, the chips and the releases."""
    options: dict[str, int] = {}
    renames: dict[tuple[str, str, int, int], int] = {}
    for bit, release in enumerate(RELEASES):
        sets = _Records(facts[release], order).sets
        for name in (*facts[release]["symbols"], *facts[release]["caps"]):
            options[name] = options.get(name, 0) | 1 << bit
        for old, new, inverted, group, _ in facts[release]["renames"]:
            key = (old, new, inverted, sets[group])
            renames[key] = renames.get(key, 0) | 1 << bit
    return {
        "order": order,
        "releases": list(RELEASES),
        "options": dict(sorted(options.items())),
        "renames": [[*key, releases] for key, releases in sorted(renames.items())],
    }


if __name__ == "__main__":
    main(sys.argv[1])
