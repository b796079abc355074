"""A file of budgets that cannot be used is refused with its line, the key and the remedy."""

from __future__ import annotations

import tomllib

import pytest
from tests.lab.budgets.conftest import Check
from tests.lab.conftest import MakeTrace

from heapscope.base.errors import InputError
from heapscope.fleet.budgets.budget import KINDS, budgets_of, parse_budget

RUN = '[[run]]\ntrace = "T.hst"\npool = "64KB"\n'


@pytest.mark.parametrize(
    ("text", "line", "message", "remedy"),
    [
        (f"[budget]\nmin_fre = 1\n{RUN}", 2, "min_fre: unknown key", "did you mean min_free?"),
        (f'[budget]\nmin_free = "lots"\n{RUN}', 2, "'lots' is not a number of bytes", "64KB"),
        (f'[budget]\nleak = "5"\n{RUN}', 2, "'5' is not a rate", 'leak = "0 B/round"'),
        (f"[budget]\ntask = 5\n{RUN}", 2, "does not say which", "task.net"),
        (f"[budget.failures]\nx = 5\n{RUN}", 1, "no names below it", "failures = 0"),
        (f'[budget.fit]\n"idf-5.6x" = 5\n{RUN}', 2, "idf-5.6x", "valid"),
        (f"{RUN}[run.budget]\nneeds = 5\n", 5, "needs: unknown key", "did you mean need?"),
        (f"{RUN}poool = 5\n", 4, "poool: unknown key", "did you mean pool?"),
        (f"{RUN}[run.budget]\npredicted_free = 5\n", 5, "no input that tells it", "sdkconfig"),
        (f"[budget]\nstatic.DRAM = 5\n{RUN}", 2, "no run has an input", "elf"),
        ('[[run]]\nname = "x"\n', 1, "the run has no input", "add trace"),
        (RUN + RUN, 4, "two runs are called 'T'", "name"),
        (f'{RUN}[baseline]\ntolerance = "much"\n', 5, "'much' is not a percentage", "2%"),
        ('[[run]]\ntrace = "no*.hst"\npool = 9\n', 2, "no file matches", "pattern"),
    ],
)
def test_a_mistake_is_reported_with_its_line(
    make_trace: MakeTrace, checked: Check, text: str, line: int, message: str, remedy: str
) -> None:
    make_trace("a 1 100")
    with pytest.raises(InputError) as caught:
        checked(text)
    assert f"heapscope.toml, line {line}: " in caught.value.message
    assert message in caught.value.message
    assert remedy in caught.value.remedy


def test_what_is_not_toml_is_reported_with_its_line(checked: Check) -> None:
    with pytest.raises(InputError, match=r"not TOML: .*line 2"):
        checked("[budget]\nmin_free 5\n")


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_of_every_kind_is_a_budget(kind: str) -> None:
    example = KINDS[kind].example
    if "KB" in example or " = " in example:
        ((name, value),) = tomllib.loads(example).items()
        assert next(iter(budgets_of(name, value))).kind == kind
    else:
        assert parse_budget(example).kind == kind


def test_both_spellings_make_the_same_budget() -> None:
    (from_file,) = budgets_of("min_free", {"DMA": "4KB"})
    assert from_file == parse_budget("min_free:DMA=4KB")
