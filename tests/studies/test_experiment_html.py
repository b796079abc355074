"""Pages of experiments: what is in them, nothing that runs or loads, and not too much."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from heapscope.render.page.frame import PAGE_MAX
from heapscope_studies.page.chapters import experiment_html
from heapscope_studies.page.plots import kept, plot_data
from heapscope_studies.result import Experiment, Plot, Series

sys.path.append(str(Path(__file__).parent))

from sample_experiment import EVIL, EVIL_NAME, MANY, agreeing, hostile, reported


class Read(HTMLParser):
    """Text by place, and every element with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []  # of an element's class or name
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        if data.strip():
            tag, attributes = self.elements[-1]
            self.texts.append((attributes.get("class", tag), data.strip()))

    def of(self, tag: str, attribute: str) -> list[str]:
        return [a[attribute] for name, a in self.elements if name == tag and attribute in a]


@pytest.fixture(scope="module")
def page() -> str:
    return experiment_html([hostile(), agreeing()])


@pytest.fixture(scope="module")
def read(page: str) -> Read:
    return Read(page)


def test_every_experiment_finding_table_and_curve_is_there(read: Read) -> None:
    words = [text for _, text in read.texts]
    for experiment in (hostile(), agreeing()):
        assert experiment.title in words
        assert f"Published: {experiment.source}" in words
        assert set(experiment.findings) <= set(words)
        for table in experiment.tables:
            assert table.title in words
            assert set(table.notes) <= set(words)
    tables = read.of("div", "data-table")
    assert tables == [
        *("hostile/judged", "hostile/told", "hostile/folded", "hostile/exact"),
        *("agreeing/told", "agreeing/exact"),
    ]
    assert read.of("div", "data-chart") == ["0/0", "0/1", "0/2"]
    assert set(read.of("div", "id")) >= {"chart-0-0", "chart-0-1", "chart-0-2"}


def test_the_contents_lead_to_all_of_it_and_tell_the_verdicts(read: Read) -> None:
    ids = {a["id"] for _, a in read.elements if "id" in a}
    links = {link[1:] for link in read.of("a", "href")}
    assert links <= ids
    assert links >= {"hostile", "agreeing", "hostile-steps", "hostile-judged", "hostile-folded"}
    assert ("pill small bad", "1 of 3, 2 outside") in read.texts
    assert ("pill small good", "1 of 1") in read.texts
    assert ("pill", "2 of 3 exact figures missed, 2 outside bounds") in read.texts


def test_only_misses_have_a_colour(page: str, read: Read) -> None:
    results = [(kind, text) for kind, text in read.texts if kind.startswith("number ")]
    assert results[:4] == [
        *(("number under", "-500"), ("number under", "-3")),
        *(("number over", "+500"), ("number over", "+4")),
    ]
    # The exact figures that are off, the misses first.
    assert results[4:] == [("number under", "-10"), ("number under", "nothing")]
    assert "Differences in colour" in page
    assert "Differences in colour" not in experiment_html([agreeing()])


def test_headings_are_whole_words_with_their_units(read: Read) -> None:
    words = [text for _, text in read.texts]
    assert {"The thing", "published"} <= set(words)
    assert ("unit", "B") in read.texts


def test_details_are_folded_and_what_does_not_come_out_is_open(read: Read) -> None:
    folds = [attributes for tag, attributes in read.elements if tag == "details"]
    assert [("open" in one, one.get("id", "")) for one in folds] == [
        *((False, "hostile-folded"), (True, "")),
        (False, ""),
    ]


def test_no_text_becomes_markup_and_nothing_is_loaded(page: str, read: Read) -> None:
    for tag, attributes in read.elements:
        assert tag not in {"img", "link", "iframe", "object", "base"}
        assert not {"src", "srcset", "onerror", "onmouseover"} & set(attributes)
        assert attributes.get("href", "#").startswith("#")
    assert EVIL not in page
    assert EVIL_NAME not in page
    assert sum(tag == "script" for tag, _ in read.elements) == page.count("<script")
    policy = next(a["content"] for _, a in read.elements if "http-equiv" in a)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert len(re.findall("'sha256-", policy)) == sum(
        tag == "script" and ("type" not in attributes or attributes.get("id") == "bokeh")
        for tag, attributes in read.elements
    )


def test_one_alone_has_its_parts_in_the_list_of_sections() -> None:
    read = Read(experiment_html([agreeing()]))
    assert read.of("section", "id") == ["findings", "tables", "exact"]
    assert len(experiment_html([agreeing()])) < 200_000  # nothing to draw, so nothing that draws


def test_a_page_stays_small_and_says_what_it_leaves_out(page: str) -> None:
    assert len(page.encode()) <= PAGE_MAX
    assert page.count("Drawn with fewer points than there are") == 1
    rows = tuple((f"{number} {'<' * 500}", number, 1.0) for number in range(1300))
    large = replace(
        agreeing(), tables=tuple(replace(reported(), key=f"t{n}", rows=rows) for n in range(5))
    )
    built = experiment_html([large])
    assert len(built.encode()) <= PAGE_MAX
    assert "The last row stands for 1,000 rows that are left out." in built


def test_decimated_curves_keep_every_high_low_and_gap() -> None:
    y = np.sin(np.arange(MANY) / 700)
    y[12_345], y[54_321], y[77_000:77_003] = 50, -50, np.nan
    places = kept(y, 1000)
    assert len(places) <= 1000
    assert np.all(np.diff(places) > 0)
    assert {0, 12_345, 54_321, 77_000, MANY - 1} <= set(places.tolist())
    assert kept(y[:1000], 1000).tolist() == list(range(1000))
    assert len(kept(np.full(MANY, np.nan), 100)) <= 100


def test_curves_beside_each_other_share_a_colour() -> None:
    steps, long, _ = plot_data([hostile()])
    first, second = steps["series"]
    assert (first["colour"], first["dash"], first["beside"]) == (second["colour"], "solid", None)
    assert (second["dash"], second["beside"]) == ("dashed", 0)
    looks = {(curve["colour"], curve["dash"]) for curve in long["series"]}
    assert len(looks) == len(long["series"])


def plot(*series: Series, logarithmic: bool = False) -> Plot:
    return Plot(
        key="p", title="", x_heading="", y_heading="", series=series, logarithmic=logarithmic
    )


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Series(name="s", x=(0, 1), y=(1,)), "2 x and 1 y"),
        (lambda: Series(name="s", x=(1, 0), y=(1, 1)), "does not ascend"),
        (lambda: Series(name="s", x=(0, 1), y=(1, float("nan"))), "not a number"),
        (lambda: plot(Series(name="s", x=(0,), y=(0,)), logarithmic=True), "not above 0"),
        (lambda: plot(Series(name="s", x=(), y=(), beside="t")), "beside t"),
        (lambda: plot(*2 * [Series(name="s", x=(), y=())]), "two series of one name"),
    ],
)
def test_curves_that_cannot_be_drawn_are_refused(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(ValueError, match=says):
        make()


@pytest.mark.parametrize(
    "series",
    [
        (),
        (Series(name="empty", x=(), y=()),),
        (Series(name="nothing", x=(1.0, 2.0), y=(None, None)),),
        (Series(name="one", x=(3.0,), y=(0.0,)),),
        (Series(name="below", x=(1.0, 2.0), y=(-5.0, -7.0)), Series(name="up", x=(1.0,), y=(9.0,))),
    ],
)
def test_any_curves_make_a_page(series: tuple[Series, ...]) -> None:
    experiment: Experiment = replace(agreeing(), plots=(plot(*series),))
    assert 'id="chart-0-0"' in experiment_html([experiment])
