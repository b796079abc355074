"""The suite of mutations runs by hand: what it breaks, and who notices, must still be there."""

from __future__ import annotations

import random
import re
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]


def test_every_mutation_finds_its_place_and_changes_it(mutants: ModuleType) -> None:
    lost = []
    for mutant in mutants.MUTANTS:
        try:
            unchanged = mutant.broken(ROOT) == (ROOT / mutant.file).read_text(encoding="utf-8")
        except mutants.LostError as error:
            lost.append(str(error))
        else:
            if unchanged:
                lost.append(f"{mutant.name}: changes nothing")
    assert mutants.MUTANTS
    assert not lost


def test_every_mutation_of_code_names_its_definition(mutants: ModuleType) -> None:
    code = {".py", ".c", ".h"}
    bare = [m.name for m in mutants.MUTANTS if "::" not in m.place and Path(m.file).suffix in code]
    assert not bare


def test_each_mutation_names_a_test_that_is_there(mutants: ModuleType) -> None:
    tests = {ROOT / mutant.test for mutant in mutants.MUTANTS}
    assert [test for test in tests if not test.is_file()] == []


C_CODE = """\
#define LIMIT (4 + \\
               1)
static const int table[] = {
    1, 2, /* three, */ 3,
};
typedef struct hs_row {
    int a;
} hs_row_t;
static int twice(const int *a, int b)
{
    if (a[0] != b) { // note
        return a[0] * 2;
    }
    return b * 2;
}

int thrice(int b)
{
    return b * 2;
}
"""
PYTHON_CODE = """\
LIMIT = "a  b"


class Row:
    size: int = 4

    def double(self) -> int:
        # note
        if self.size:
            return self.size * 2
        return 0


def double(size: int) -> int:
    return size * 2
"""


def changed(anchor: ModuleType, text: str, suffix: str, *change: str) -> str:
    within, old, new = change
    (place,) = anchor.places(text, suffix, within, old)
    whole: str = anchor.replaced(text, place, new)
    return whole


def test_tokens_are_detected_in_the_definition_of_the_name(anchor: ModuleType) -> None:
    result = changed(anchor, C_CODE, ".c", "thrice", "b*2", "b * 3")
    assert result == C_CODE.replace("    return b * 2;\n}\n\n", "@").replace(
        "b * 2", "b * 3"
    ).replace("@", "    return b * 2;\n}\n\n")
    assert "(4 + 2)" in changed(anchor, C_CODE, ".c", "LIMIT", "4 + 1", "4 + 2")
    assert "    1, 3,\n" in changed(anchor, C_CODE, ".c", "table", "2, 3", "3")
    assert "long a;" in changed(anchor, C_CODE, ".c", "hs_row", "int a", "long a")
    assert anchor.places(C_CODE, ".c", "twice", "b * 3") == []
    assert len(anchor.places(C_CODE, ".c", "", "b * 2")) == 2
    assert "size * 3" in changed(anchor, PYTHON_CODE, ".py", "double", "size * 2", "size * 3")
    method = changed(
        anchor, PYTHON_CODE, ".py", "Row.double", "if self.size:", "if self:\n    pass\nif 1:"
    )
    assert "        if self:\n            pass\n        if 1:\n            return" in method
    assert anchor.places(PYTHON_CODE, ".py", "LIMIT", '"a b"') == []  # white space of a string


def test_new_lines_white_space_and_comments_lose_no_mutation(
    anchor: ModuleType, mutants: ModuleType
) -> None:
    """The files are written otherwise: other lines before, other breaks and remarks within."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    draw = random.Random(seed)
    for mutant in draw.sample(mutants.MUTANTS, 40):
        file, _, within = mutant.place.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        if Path(file).suffix not in {".c", ".h"} or f"define {within}" in text:
            continue
        (place,) = anchor.places(text, ".c", within, mutant.old)
        part = text[place.start : place.end]
        spaced = re.sub(r" ", lambda _: draw.choice([" ", "\n        ", " /* why */ "]), part)
        moved = "/* moved */\n" * draw.randrange(9) + text[: place.start] + spaced
        if '"' not in part and "/*" not in part:
            assert len(anchor.places(moved + text[place.end :], ".c", within, mutant.old)) == 1
