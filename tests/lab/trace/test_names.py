"""Nothing out of a trace reaches a terminal but plainly visible characters."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapscope.base.printable import printable
from heapscope.trace.call_sites import site_names
from heapscope.trace.names import mark_names, task_names


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"aws_iot", "aws_iot"),
        ("日本語 name".encode(), "日本語 name"),
        (b"\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        (b"a\rb\nc\td\x00e\x7f", "a\\x0db\\x0ac\\x09d\\x00e\\x7f"),
        (b"\xff\xfe\x80", "\\xff\\xfe\\x80"),
        (b"\xc2\x9b31m", "\\x9b31m"),  # CSI as one C1 character
        ("abc\u202edcba".encode(), "abc\\u202edcba"),  # right-to-left override
        ("zero\u200bwidth".encode(), "zero\\u200bwidth"),
        ("line\u2028para\u2029".encode(), "line\\u2028para\\u2029"),
        ("\ue000\U000f0000".encode(), "\\ue000\\U000f0000"),  # private use
        (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),  # a surrogate, no valid UTF-8
        ("\ud800", "\\ud800"),
        (b"[bold red]x[/]", "[bold red]x[/]"),  # markup is the printer's business
        (b"", ""),
    ],
)
def test_what_is_not_visible_is_escaped(raw: bytes | str, shown: str) -> None:
    assert printable(raw) == shown


def test_long_names_are_cut_with_an_ellipsis() -> None:
    assert printable(b"x" * 81) == "x" * 79 + "…"
    assert printable(b"x" * 80) == "x" * 80
    assert printable(b"abcdef", limit=4) == "abc…"


def test_an_escape_is_never_cut_in_two() -> None:
    assert printable(b"abc\x1bdef", limit=6) == "abc…"
    assert printable(b"ab\x1b\x1b", limit=6) == "ab…"


@given(st.binary(max_size=600) | st.text(max_size=300), st.integers(1, 100))
def test_any_input_is_safe_and_within_its_limit(raw: bytes | str, limit: int) -> None:
    shown = printable(raw, limit=limit)
    assert len(shown) <= limit
    unsafe = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not any(unicodedata.category(character) in unsafe for character in shown)


@given(st.text(st.characters(categories=("L", "N", "P", "S")), max_size=50))
def test_visible_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text
    assert printable(text.encode()) == text


def test_tasks_whose_names_show_alike_carry_their_index() -> None:
    tasks = task_names({0: None, 1: b"wifi", 2: b"  ", 3: b"wifi", 4: b"main"})
    assert [tasks[i] for i in range(5)] == [
        "main (task 0)",
        "wifi (task 1)",
        "task 2",
        "wifi (task 3)",
        "main",
    ]
    assert [mark_names({0: b"x", 1: b"x"})[i] for i in range(2)] == ["x", "x"]


def test_names_fall_back_to_their_index() -> None:
    tasks = task_names({0: None, 1: b"tls", 2: b"", 3: b"\x1b"})
    assert [tasks[i] for i in range(6)] == ["main", "tls", "task 2", "\\x1b", "task 4", "task 5"]
    assert tasks[-1] == "task -1"
    assert task_names({0: b"boot"})[0] == "boot"
    assert mark_names({0: b"start"})[1] == "mark 1"
    assert site_names({})[0] == "unknown site"
