"""Each language with a real reader of it: a name is text, whatever stands in it."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lab.languages.names import NAMES, commands, markdown_tokens, shown, understood

from heapscope.base.languages import (
    JobText,
    annotation_message,
    annotation_property,
    c_comment,
    csv_field,
    job_lines,
    json_text,
    markdown_line,
    markdown_text,
    sarif_text,
    script_json,
    xml_text,
)
from heapscope.base.printable import printable

#: Signs that mean something somewhere, one behind the other.
texts = st.lists(
    st.sampled_from([*"@#!%$&~:;|<>[]()*_`'\"\\=+-/.{}", "a", "1", " ", "www.", "://", "##[", "::"])
).map("".join)


def on_one_line(name: str) -> str:
    return " ".join(" ".join(printable(name, limit=400).splitlines()).split())


def in_markdown(name: str) -> None:
    name = printable(name, limit=400)
    for text, rest in (
        (markdown_line(name), frozenset()),
        (f"### {markdown_text(name)}", frozenset({"heading_open", "heading_close"})),
        (
            f"- {markdown_line(name)}",
            frozenset(f"{what}_{end}" for what in ("bullet_list", "list_item")
                      for end in ("open", "close")),
        ),
        (
            f"| a | b |\n| --- | ---: |\n| {markdown_text(name)} | 1 |",
            frozenset(f"{what}_{end}" for what in ("table", "thead", "tbody", "tr", "th", "td")
                      for end in ("open", "close")),
        ),
    ):  # fmt: skip
        tokens = markdown_tokens(text)
        assert understood(tokens, rest) == set(), (name, text)
        if "table_open" in rest:
            assert sum(token.type == "td_open" for token in tokens) == 2, text


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_text_in_markdown_and_reads_as_it_is(name: str) -> None:
    in_markdown(name)
    seen = " ".join(shown(markdown_tokens(markdown_line(printable(name, limit=400)))).split())
    assert seen == on_one_line(name)


@given(texts)
def test_no_mixture_of_signs_is_more_than_text_in_markdown(text: str) -> None:
    in_markdown(text)


def test_plain_names_stay_as_they_are() -> None:
    for name in (
        "main",
        "snake_case_name",
        "std::map::insert",
        "CONFIG_X=y",
        "1,234 B",
        "a-b.c:12",
    ):
        assert markdown_text(name) == markdown_line(name) == name
        assert csv_field(name).strip('"') == job_lines(name) == sarif_text(name) == name
    assert markdown_line("-8,652 B") == "\\-8,652 B"
    assert markdown_text("-8,652 B") == "-8,652 B"


@pytest.mark.parametrize("name", NAMES)
def test_a_spreadsheet_computes_nothing(name: str) -> None:
    name = printable(name, limit=400)
    ((field, after),) = csv.reader(io.StringIO(f"{csv_field(name)},-5\n", newline=""), strict=True)
    assert after == "-5", "numbers stay numbers"
    assert field in (name, f"'{name}")
    assert not re.match(r"\s*[=+\-@＝＋－＠]", field)  # noqa: RUF001 - the wide ones


@pytest.mark.parametrize("name", NAMES)
def test_xml_has_the_text_and_no_element(name: str) -> None:
    root = ElementTree.fromstring(f'<a b="{xml_text(name)}">{xml_text(name)}</a>')
    assert list(root) == []
    wanted = printable(name, limit=400)
    if wanted == name:
        assert (root.text, root.attrib["b"]) == (name, name)


@pytest.mark.parametrize("name", NAMES)
def test_json_is_the_same_value_and_says_nothing_to_a_runner(name: str) -> None:
    text = json_text({name: [name]})
    assert json.loads(text) == {name: [name]}
    assert commands(text.encode()) == []
    assert text.isascii()


@pytest.mark.parametrize("name", NAMES)
def test_json_in_a_page_does_not_end_its_element(name: str) -> None:
    class Elements(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[str] = []
            self.data = ""

        def handle_starttag(self, tag: str, attrs: object) -> None:
            self.seen.append(tag)

        def handle_data(self, data: str) -> None:
            self.data += data

    page = Elements()
    page.feed(f"<script>{script_json([name])}</script>")
    assert page.seen == ["script"]
    assert json.loads(page.data) == [name]


@pytest.mark.parametrize("name", NAMES)
def test_sarif_has_no_link_and_no_argument(name: str) -> None:
    text = sarif_text(printable(name, limit=400))
    assert not re.search(r"\]\(", text)
    assert not re.search(r"\{\w", text.replace("{{", "").replace("}}", ""))


@pytest.mark.parametrize("name", NAMES)
def test_a_comment_of_c_is_one(name: str) -> None:
    text = c_comment(name)
    assert "*/" not in text
    assert "/*" not in text
    assert not text.endswith("\\")
    assert "\n" not in text


@pytest.mark.parametrize("name", NAMES)
def test_an_annotation_is_one_line_and_one_command(name: str) -> None:
    line = f"::error file={annotation_property(name)}::{annotation_message(name)}"
    assert len(re.split(r"[\r\n]", line)) == 1
    properties = line.removeprefix("::error ").partition("::")[0]
    assert properties.count(",") == 0
    assert properties.count(":") == 0


@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_a_command_of_a_runner_wherever_it_is_broken(name: str) -> None:
    name = printable(name, limit=400)
    for at in range(len(name) + 1):  # as a narrow terminal wraps it
        for begin in ("", "  ", "\x1b[1m", "\r", "word "):
            text = f"{begin}{name[:at]}\n{begin}{name[at:]}\n"
            assert commands(job_lines(text).encode()) == [], text


@given(st.lists(st.sampled_from(["::", ":", "a", " ", "\n", "\r", "##", "[", "\x1b[1m", "error"])))
def test_pieces_are_neutral_as_the_whole(pieces: list[str]) -> None:
    taken = io.BytesIO()
    stream = JobText(taken, encoding="utf-8", newline="")
    for piece in pieces:
        assert stream.write(piece) == len(piece)
    stream.flush()
    assert [line for line in commands(taken.getvalue()) if "#" not in line] == []
    assert commands(job_lines("".join(pieces)).encode()) == []


def test_what_is_no_command_is_printed_as_it_is() -> None:
    for text in ("a::b\n", "std::map\n ::", "x: y\n", "## heading\n", "#[a]\n", ": \n"):
        assert job_lines(text).replace("\\x3a:", "::") == text
    assert job_lines("a ::error::b\n::error::c") == "a ::error::b\n\\x3a:error::c"
    assert job_lines("a ##[error]b") == "a \\x23#[error]b"
