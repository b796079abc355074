"""The figures shown under the pointer are those in the JSON of the same run."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

BuiltPage = Any
Seen = Any
Open = Callable[..., Seen]
Look = Callable[[Any], Seen]


def point(seen: Seen, chart: str, x: float, y: float) -> None:
    """Puts the pointer on a place of a chart, given in the chart's own numbers."""
    number, name = chart.split("/")
    plot = seen.page.locator(f"#chart-{number}-{name}")
    plot.scroll_into_view_if_needed()
    frame = seen.page.evaluate(
        """(name) => { const chart = Bokeh.documents[0].get_model_by_name(name);
            const view = Bokeh.index.find_one(chart) ?? Bokeh.index.get_one(chart);
            const { left, top, width, height } = view.frame.bbox;
            return { left, top, width, height, x: [chart.x_range.start, chart.x_range.end],
                y: [chart.y_range.start, chart.y_range.end] } }""",
        chart,
    )
    box = plot.bounding_box()
    across = (x - frame["x"][0]) / (frame["x"][1] - frame["x"][0])
    up = (y - frame["y"][0]) / (frame["y"][1] - frame["y"][0])
    seen.page.mouse.move(
        box["x"] + frame["left"] + across * frame["width"],
        box["y"] + frame["top"] + (1 - up) * frame["height"],
    )
    seen.ready()


def numbers(text: str) -> list[int]:
    return [int(one.replace(",", "")) for one in re.findall(r"\d[\d,]*", text)]


def rows(tip: str) -> dict[str, str]:
    """The lines of a tip: names and values come one after the other."""
    lines = tip.splitlines()
    return dict(zip(lines[1::2], lines[2::2], strict=False))


def test_the_timeline_shows_the_column_under_the_pointer(gateway: BuiltPage, look: Look) -> None:
    seen = look(gateway.page)
    survey = gateway.document["sides"][0]["survey"]
    width = survey["columns"][0]["events"]
    for share in (0.013, 0.31, 0.52, 0.88):
        number = int(share * len(survey["columns"]))
        point(seen, "0/timeline", (number + 0.5) * width, 240_000)
        tip = seen.tip("0/timeline")
        column, moment = survey["columns"][number], survey["moments"][number]
        assert tip.splitlines()[0] == f"event {moment['event']:,}"
        result = rows(tip)
        assert numbers(result["live payload"]) == [moment["live"]]
        assert numbers(result["free, least in span"]) == [column["least_free"]]
        assert numbers(result["largest, least in span"]) == [column["least_largest"]]
        for task, held in survey["payload"].items():
            assert numbers(result.get(task, "0")) == [held[number]]


def test_fragmentation_shows_the_moment_under_the_pointer(gateway: BuiltPage, look: Look) -> None:
    seen = look(gateway.page)
    survey = gateway.document["sides"][0]["survey"]
    width = survey["columns"][0]["events"]
    for share in (0.2, 0.6):
        number = int(share * len(survey["columns"]))
        point(seen, "0/fragmentation", (number + 0.5) * width, 20_000)
        moment, result = survey["moments"][number], rows(seen.tip("0/fragmentation"))
        assert numbers(result["free"]) == [moment["free"]]
        assert numbers(result["largest free block"]) == [moment["largest_free"]]
        assert numbers(result["free blocks"]) == [moment["free_blocks"]]


class Map:
    """The picture of the JSON."""

    GAP = 5

    def __init__(self, document: dict[str, Any]) -> None:
        self.survey = document["sides"][0]["survey"]
        self.picture = self.survey["picture"]
        self.shape = (self.picture["columns"], self.picture["rows"])

    def plane(self, name: str, kind: str = "<u1") -> np.ndarray:
        data = base64.b64decode(self.picture["cells"][name])
        return np.frombuffer(data, dtype=kind).reshape(self.shape)

    def place(self, column: int, row: int) -> tuple[float, float]:
        strips = self.picture["strips"]
        strip = next(one for one in strips if 0 <= row - one["first_row"] < one["rows"])
        below = strips[strips.index(strip) + 1 :]  # the lowest addresses stand last
        bottom = sum(one["rows"] + self.GAP for one in below)
        width = self.survey["columns"][0]["events"]
        return (column + 0.5) * width, bottom + row - strip["first_row"] + 0.5


def cells_of(built_page: BuiltPage, count: int, *, named: bool) -> list[tuple[int, int]]:
    picture = Map(built_page.document)
    block = picture.plane("block", "<u2")
    result = np.argwhere((block > 0) if named else (picture.plane("used") == 0))
    chosen = np.random.default_rng(7).choice(len(result), count, replace=False)
    return [(int(column), int(row)) for column, row in result[chosen]]


@pytest.mark.cells(1)
@pytest.mark.parametrize("page", ["gateway", "hostile"])
def test_the_map_shows_the_block_under_the_pointer(
    page: str, request: pytest.FixtureRequest, look: Look
) -> None:
    built_page: BuiltPage = request.getfixturevalue(page)
    seen, picture = look(built_page.page), Map(built_page.document)
    blocks, plane = picture.picture["blocks"], picture.plane("block", "<u2")
    for column, row in cells_of(built_page, 8, named=True):
        point(seen, "0/map", *picture.place(column, row))
        result, tip = rows(seen.tip("0/map")), seen.tip("0/map")
        number = int(plane[column, row]) - 1
        assert tip.splitlines()[0] == f"block at {blocks['address'][number]:#010x}"
        assert result["task"] == blocks["task"][number]
        assert numbers(result["size"]) == [blocks["size"][number]]
        assert f"event {blocks['born'][number]:,}" in re.split(r"[\[\]]", result["allocated at"])
        died = blocks["died"][number]
        if died is not None:
            assert f"event {died:,}" in re.split(r"[\[\]]", result["freed at"])
            assert numbers(result["lifetime"]) == [died - blocks["born"][number]]
        if blocks["site"][number]:
            assert result["site"] == blocks["site"][number]


def test_gaps_of_the_map_are_free(gateway: BuiltPage, look: Look) -> None:
    seen, picture = look(gateway.page), Map(gateway.document)
    for column, row in cells_of(gateway, 5, named=False):
        point(seen, "0/map", *picture.place(column, row))
        assert seen.tip("0/map").splitlines()[0] == "free"


def pixels(seen: Seen, strip: int) -> np.ndarray:
    data = seen.page.evaluate(
        "(n) => Array.from(Bokeh.documents[0].get_model_by_name(`0/map/strip${n}`).data.image[0])",
        strip,
    )
    return np.array(data, dtype=np.uint32)


def test_each_colouring_paints_what_it_says(gateway: BuiltPage, see: Open) -> None:
    seen, picture = see(gateway.page), Map(gateway.document)
    strip = picture.picture["strips"][1]
    part = slice(strip["first_row"], strip["first_row"] + strip["rows"])
    used = picture.plane("used")[:, part].T.ravel()
    painted = {}
    for mode in ("owner", "age", "size"):
        seen.page.locator(f'input[name=colour][value="{mode}"]').press("Space")
        seen.ready()
        painted[mode] = pixels(seen, 1)
        assert ((painted[mode] == 0) == (used == 0)).all()
        # Full cells of one value have one colour, and other values other ones.
        full = used == 255
        plane = picture.plane(mode)[:, part].T.ravel()
        colours = {
            int(v): set(painted[mode][full & (plane == v)].tolist()) for v in set(plane[full])
        }
        if mode == "owner":
            assert all(len(one) == 1 for one in colours.values())
            assert len(set.union(*colours.values())) == len(colours) > 1
        else:
            assert all(len(one) == 1 for value, one in colours.items() if value)
            assert len(set.union(*colours.values())) > 5
    assert (painted["owner"] != painted["age"]).any()
    assert (painted["age"] != painted["size"]).any()


def test_pins_stand_where_requests_failed(hostile: BuiltPage, see: Open) -> None:
    seen = see(hostile.page)
    failures = hostile.document["sides"][0]["replay"]["failures"]
    assert failures
    pins = seen.page.evaluate(
        "(() => { const d = Bokeh.documents[0].get_model_by_name('0/timeline/failed').data;"
        " return [Array.from(d.x), Array.from(d.y)] })()"
    )
    assert pins[0] == [row["event"] for row in failures]
    assert pins[1] == [row["size"] for row in failures]
    seen.page.evaluate(
        "(x) => Bokeh.documents[0].get_model_by_name('events').setv({start: x - 6, end: x + 6})",
        failures[0]["event"],
    )
    seen.ready()
    point(seen, "0/timeline", failures[0]["event"], failures[0]["size"])
    tip = seen.tip("0/timeline")
    assert tip.startswith(f"{failures[0]['call']} of {failures[0]['size']:,} B failed")
    assert failures[0]["task"] in tip


def test_sides_show_their_own_figures(compared: BuiltPage, see: Open) -> None:
    seen = see(compared.page)
    sides = compared.document["sides"]
    columns = [side["survey"]["columns"] for side in sides]
    number = int(0.55 * len(columns[0]))
    point(seen, "all/free", (number + 0.5) * columns[0][0]["events"], 150_000)
    tip = seen.tip("all/free")
    for side, rows_ in zip(sides, columns, strict=True):
        assert f"{side['label']}: free\n{rows_[number]['least_free']:,} B" in tip
