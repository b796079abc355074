"""Logs of each kind are answered as they must be."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import heapscope as hs


def _cases() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cases", Path(__file__).with_name("cases.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CASES: dict[str, tuple[str, dict[str, Any]]] = _cases().ALL


def reported(answer: dict[str, Any], key: str) -> object:
    """The value as the cases have it."""
    value = answer.get(key)
    if key == "failed":
        return sorted(one["size"] or 0 for one in answer["failed"])
    if key == "error":
        return None if value is None else str(value["code"]).lower()
    if key == "corrupt":
        return str(value["at"]).lower() if value else None
    return value


@pytest.mark.parametrize("name", CASES)
def test_a_log_of_this_kind_is_answered(name: str, tmp_path: Path) -> None:
    text, case = CASES[name]
    wanted = {key: value for key, value in case.items() if key != "need"}
    path = tmp_path / "device.log"
    path.write_text(text, encoding="utf-8")
    result = hs.log(path, need=[case["need"]] if "need" in case else ())
    answer = result.to_json()["answer"] | {"not_understood": result.not_understood_count}
    assert {key: reported(answer, key) for key in wanted} == wanted
    if name.startswith("declined"):
        assert (answer.get("form"), answer["failed"]) == (None, [])
        assert answer["declines"]
    assert result.verdict
