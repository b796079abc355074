"""Patterns of the user: they find what Python's `re` finds, in a bounded time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapscope.base.errors import InputError
from heapscope.native.log import Fact, NativeLog

ATOMS = st.sampled_from(
    [
        "a",
        "b",
        "1",
        "2",
        " ",
        ".",
        r"\d",
        r"\w",
        r"\s",
        "[a1]",
        "[^a]",
        "[0-5b]",
        r"\b",
        r"\.",
        "=",
        "-",
    ]
)


def _repeated(part: str, sign: str) -> str:
    """Python leaves a loop whose body matched nothing, which decides between matches."""
    return part if re.fullmatch(part, "") else f"(?:{part}){sign}"


def _parts(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    signs = st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}"])
    return st.one_of(
        st.builds(_repeated, inner, signs),
        st.builds("{}{}".format, inner, inner),
        st.builds("(?:{}|{})".format, inner, inner),
    )


PIECES = st.recursive(ATOMS, _parts, max_leaves=6)
PATTERNS = st.builds(r"{}({}){}(\d+)".format, PIECES, PIECES, PIECES)
LINES = st.text(alphabet="ab12 =.-", min_size=1, max_size=24).filter(lambda line: line.strip())


def facts(line: str, *patterns: str) -> list[Fact]:
    with NativeLog() as log:
        for pattern in patterns:
            log.add_pattern(pattern)
        return [fact for fact in (*log.push(line.encode()), *log.flush()) if fact.pattern]


def values(line: str, pattern: str) -> list[int] | None:
    """The last group's number, as Python finds it."""
    match = re.search(pattern, line)
    return None if match is None else [int(match[match.re.groups])]


@given(pattern=PATTERNS, line=LINES)
def test_a_pattern_finds_what_python_finds(pattern: str, line: str) -> None:
    line = f"{line.rstrip()}#"  # blanks at the end are taken off a log's line
    try:
        got = facts(line, pattern)
    except InputError as error:
        assert "too long" in error.message  # noqa: PT017 - repeats of repeats
        return
    wanted = values(line, pattern)
    assert ([got[-1].size] if got else None) == wanted


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a", "partner"),
        ("a)", "partner"),
        ("[a", "partner"),
        ("*a", "repeat"),
        ("[b-a](x)", "wrong way"),
        ("(x){3,2}", "wrong way"),
        ("a", "no group"),
        (r"(a)\1", "not supported"),
        ("(?=a)(b)", "not supported"),
        ("(?<!a)(b)", "not supported"),
        ("(a)" * 9, "too many"),
        ("((((a{9}){9}){9}){9})", "too long"),
        ("(" * 40 + "a" + ")" * 40, "too"),
    ],
)
def test_a_fault_of_a_pattern_is_named(pattern: str, why: str) -> None:
    with NativeLog() as log, pytest.raises(InputError, match=why):
        log.add_pattern(pattern)


def test_groups_are_named_by_the_words_before_them_or_by_themselves() -> None:
    line = "mem: 12345/5000 low 77 psram 4 KB odd 9 (x=3)"
    by_words = r"mem: (\d+)/(?P<largest>\d+) low (?P<min_free>\d+) free psram? ?"
    assert facts(line, by_words) == []
    got = facts(line, r"mem: (\d+)/(?P<largest>\d+) low (\d+) psram (\d+).* odd (\d+)")
    figures = {fact.memory: fact for fact in got if fact.kind == "figures"}
    assert (figures["any"].free, figures["any"].largest) == (12345, 5000)
    assert figures["spiram"].free == 4096
    assert [(fact.name.strip(), fact.size) for fact in got if fact.kind == "sample"][-1] == (
        "odd",
        9,
    )


@pytest.mark.parametrize(
    "pattern", ["(a*)*b(1)", "(a|aa)+$(1)", "(?:.*){9}x(1)", "(a?){40}a{40}(1)"]
)
def test_no_pattern_runs_for_long(pattern: str) -> None:
    began = time.process_time()
    facts("a" * 4000, pattern)
    assert time.process_time() - began < 5  # Python's re would need longer than the universe has
