"""`log --words FILE`: words of a program's own, in any language, and what is wrong with a line."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.logs.answer.log_result import LogResult

#: The meanings of a word, and the figure that it makes of a number.
MEANINGS = {
    "free": ("any", "free"),
    "largest block": ("any", "largest"),
    "min free": ("any", "min"),
    "free internal": ("internal", "free"),
    "largest psram": ("spiram", "largest"),
    "free dma": ("dma", "free"),
}


def answered(folder: Path, text: str, words: str, **options: object) -> LogResult:
    (folder / "words").write_text(words, encoding="utf-8")
    (folder / "device.log").write_text(text, encoding="utf-8")
    return hs.log(folder / "device.log", words=folder / "words", **options)  # type: ignore[arg-type]


def figures(result: LogResult) -> dict[tuple[str, str], int]:
    return {(row.memory, row.name): row.last for row in result.figures}


def test_drawn_words_make_figures_of_their_numbers(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    letters = "bcdfghjkqvwxz"
    words, wanted, parts = [], {}, []
    for meaning, figure in rng.sample(list(MEANINGS.items()), 3):
        plain, more = "".join(rng.choices(letters, k=5)), rng.choice(("", "é", "剩余"))
        number = rng.randrange(1000, 60_000)
        words.append(f"{plain.upper() if rng.random() < 0.5 else plain}{more} = {meaning}  # own")
        wanted[figure] = number
        parts.append(f"{plain}{more}{rng.choice((': ', '=', ' '))}{number}")
    line = rng.choice((", ", "; ", " | ")).join(parts)
    result = answered(tmp_path, f"{line}\n", "\n".join(("# a file", "", *words)))
    assert figures(result) == wanted, line


def test_a_unit_counts_and_other_words_are_no_figures(tmp_path: Path) -> None:
    words = "qh = free\nblk = 16 bytes\njobs = other\n"
    result = answered(tmp_path, "qh: 800 blk, jobs 9000\n", words)
    assert figures(result) == {("any", "free"): 12_800}
    assert result.verdict == ("In the last state: 12,800 B are free.",)


def test_columns_and_keys_may_have_the_words(tmp_path: Path) -> None:
    words = "qh = free\nqb = largest\n"
    table = answered(tmp_path, "t,qh,qb\n1,9000,5000\n2,8000,4000\n", words)
    nested = answered(tmp_path, '{"t":1,"psram":{"qh":9000,"qb":5000}}\n', words)
    assert figures(table) == {("any", "free"): 8000, ("any", "largest"): 4000}
    assert figures(nested) == {("spiram", "free"): 9000, ("spiram", "largest"): 5000}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("qh free", "no word and its meaning"),
        ("= free", "no word and its meaning"),
        ("qh =", "no word and its meaning"),
        ("qh = fre", "'fre' is unknown in a meaning"),
        ("qh = free 12", "'12' is unknown in a meaning"),
        ("qh = bytes", "'bytes' is unknown in a meaning"),
        ("7h = free", "'7h' cannot be a word: it begins with a letter and has at most 32 bytes"),
        (f"{'q' * 33} = free", f"'{'q' * 33}' cannot be a word"),
    ],
)
def test_a_bad_line_is_named(line: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        answered(tmp_path, "qh: 9000\n", f"# words\nok = free\n{line}\n")
    assert f"words, line 3: {fault}" in str(error.value)
    assert error.value.remedy


def test_words_beyond_the_most_are_an_error(tmp_path: Path) -> None:
    words = "".join(f"q{index:02} = free\n" for index in range(65))
    with pytest.raises(InputError, match="line 65: there are 64 words already"):
        answered(tmp_path, "q00: 9000\n", words)
