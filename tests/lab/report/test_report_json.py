"""Results as JSON and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from heapscope.base.errors import InputError
from heapscope.cli.answer import dumps
from heapscope.simulation.result.result import ReplayResult

Changed = Callable[..., Any]


@pytest.fixture
def full(result: Changed, need: Changed, failure: Changed, odd: Changed) -> ReplayResult:
    replay_result: ReplayResult = result(needs=(need(),), failures=(failure(),), anomalies=(odd(),))
    return replay_result


def test_a_result_survives_json(full: ReplayResult) -> None:
    assert ReplayResult.from_json(json.loads(dumps(full.to_json()))) == full


def test_a_result_without_timeline_survives_json(result: Changed) -> None:
    built = result(timeline=None)
    assert ReplayResult.from_json(json.loads(dumps(built.to_json()))) == built


def test_keys_of_a_later_version_are_left_alone(full: ReplayResult) -> None:
    assert ReplayResult.from_json(full.to_json() | {"new": 1}) == full


def test_json_is_plain_ascii_with_a_row_a_line(full: ReplayResult) -> None:
    text = dumps(full.to_json())
    assert text.isascii()
    assert sum(
        line.startswith('  {"task":') or '"task_index"' in line for line in text.splitlines()
    )


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("heapscope_replay",), 2, "$.heapscope_replay"),
        (("heapscope_replay",), None, "$.heapscope_replay"),
        (("summary",), [], "$.summary"),
        (("summary", "digest"), 5, "$.summary.digest"),
        (("summary", "failures"), True, "$.summary.failures"),
        (("summary", "failures"), 1.5, "$.summary.failures"),
        (("sets",), [], "$.sets"),
        (("sets",), {}, "$.sets"),
        (("regions", 0, "has_heap"), 1, "$.regions[0].has_heap"),
        (("trace", "metadata"), {"a": 1}, "$.trace.metadata"),
        (("timeline", "series"), 5, "$.timeline"),
        (("timeline", "first_time"), [-1], "$.timeline"),
    ],
)
def test_json_that_is_no_result_names_the_place(
    full: ReplayResult, path: tuple[Any, ...], value: object, place: str
) -> None:
    data = json.loads(dumps(full.to_json()))
    spot = data
    for step in path[:-1]:
        spot = spot[step]
    spot[path[-1]] = value
    with pytest.raises(InputError) as caught:
        ReplayResult.from_json(data)
    assert place in caught.value.message


@pytest.mark.parametrize("data", [None, [], 5, "text", {}])
def test_any_other_json_is_refused(data: object) -> None:
    with pytest.raises(InputError):
        ReplayResult.from_json(data)
