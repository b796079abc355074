"""A row names its figures once; its JSON, its schema and its reader are made from them."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from heapscope.base.errors import InputError
from heapscope.base.rows.bound import AT_LEAST, BEFORE, WITHHELD, bounds_of
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row
from heapscope.base.rows.schema import schema


class Cup(Row):
    """A cup of something."""

    name: str = figure("The name of the cup.", pattern="^[a-z]+$")
    size: int = figure("The size of the cup.", "B", least=1, most=9)
    left: int | None = figure("The size that is left; null: nobody looked.", "B")
    kind: str = figure("The kind.", choices=("tea", "milk"), default="tea")
    note: str | None = figure("A note.", absent=True, default=None)

    @property
    @computed("The size that is gone.", least=None, last=True)
    def gone(self) -> int:
        return self.size - (self.left or 0)


class Table(Document):
    """The cups on a table."""

    VERB = "set"
    KIND = "table"
    VERSION = 3

    cups: tuple[Cup, ...] = figure("The cups.", entries=(1, 2))
    seats: tuple[int, float] = figure("Two numbers.")
    best: Cup | None = figure("The best of them; null: none is.")
    marks: dict[str, str] = figure("The marks by name.", choices=("good", "bad"))


class Spoon(Row):
    """A spoon."""

    used: int = figure("How often it was used.", bound=AT_LEAST)


class Drawer(Row):
    """The spoons in a drawer."""

    spoons: tuple[Spoon, ...] = figure("The spoons.")
    first: Spoon | None = figure("The first; null: none.")
    told: Spoon | None = figure("The one that somebody told of; null: nobody did.")
    best: Spoon | None = figure("The best; null: none.", bound=WITHHELD)
    left: int = figure("The spoons that are left.", bound=BEFORE)
    name: str = figure("The name.")


CUP = Cup(name="blue", size=5, left=2)
TABLE = Table(cups=(CUP,), seats=(4, 0.5), best=None, marks={"blue": "good"})


def test_the_json_has_the_figures_in_their_order_after_form_and_version() -> None:
    assert TABLE.to_json() == {
        "heapscope_set": 3,
        "kind": "table",
        "cups": [{"name": "blue", "size": 5, "left": 2, "kind": "tea", "gone": 3}],
        "seats": [4, 0.5],
        "best": None,
        "marks": {"blue": "good"},
    }
    assert list(TABLE.to_json()["cups"][0]) == ["name", "size", "left", "kind", "gone"]
    assert Table.from_json(TABLE.to_json()) == TABLE


def test_the_schema_has_type_sentence_unit_and_limits_of_each_figure() -> None:
    built = schema(Table)
    jsonschema.Draft202012Validator.check_schema(built)
    assert built["required"] == ["heapscope_set", "kind", "cups", "seats", "best", "marks"]
    cup = built["$defs"]["Cup"]
    assert cup["description"] == "A cup of something."
    assert cup["properties"]["size"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
        "unit": "B",
        "description": "The size of the cup.",
    }
    assert cup["required"] == ["name", "size", "left", "kind", "gone"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"heapscope_set_table": 2},
        {"cups": []},
        {"cups": [CUP.to_json()] * 3},
        {"cups": [CUP.to_json() | {"size": 0}]},
        {"cups": [CUP.to_json() | {"size": 10}]},
        {"cups": [CUP.to_json() | {"left": -1}]},
        {"cups": [CUP.to_json() | {"name": "BLUE"}]},
        {"cups": [CUP.to_json() | {"kind": "wine"}]},
        {"cups": [CUP.to_json() | {"note": None}]},
        {"cups": [CUP.to_json() | {"new": 1}]},
        {"seats": [1]},
        {"seats": [0.5, 1]},
        {"best": "blue"},
        {"marks": {"blue": "ugly"}},
        {"new": 1},
    ],
    ids=str,
)
def test_the_schema_refuses_whatever_a_figure_does_not_allow(wrong: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(schema(Table))
    assert validator.is_valid(TABLE.to_json())
    assert not validator.is_valid(TABLE.to_json() | wrong)


def test_a_field_without_a_figure_has_no_schema() -> None:
    class Bare(Document):
        VERB = "bare"
        VERSION = 1
        cup: int

    with pytest.raises(TypeError, match=r"Bare\.cup has no figure"):
        schema(Bare)


def test_a_wrong_value_in_a_file_is_named_by_its_place() -> None:
    cups = [CUP.to_json() | {"size": "big"}]
    with pytest.raises(InputError, match=r"\$\.cups\[0\]\.size should be an integer"):
        Table.from_json(TABLE.to_json() | {"cups": cups})


def test_directions_are_detected_in_rows_of_a_list_and_in_rows_that_may_be_missing() -> None:
    assert bounds_of(Drawer, without=("told",)) == {
        "spoons[]": {"used": AT_LEAST},
        "first": {"used": AT_LEAST},
        "": {"best": WITHHELD, "left": BEFORE},
    }
