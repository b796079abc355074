"""Broken in placements: the programme, its bound, and perturbed runs in a check."""

from __future__ import annotations

from mutant import Mutant

MODEL = "tests/lab/place/test_place_model.py"

PLACE = (
    Mutant(
        "placement",
        "the limit of slow bytes counts requests",
        "lab/heapscope/place/programme.py::_Model.budget",
        "self._usage.classes.rows[number].asked",
        "self._usage.classes.rows[number].requests",
        MODEL,
    ),
    Mutant(
        "bound of a placement",
        "half of what is held counts at a moment",
        "lab/heapscope/place/programme.py::_Model._peak",
        "(float(held.sum()), highspy.kHighsInf, row)",
        "(float(held.sum()) / 2, highspy.kHighsInf, row)",
        MODEL,
    ),
    Mutant(
        "bound of a placement",
        "a block takes no header",
        "lab/heapscope/place/memories.py::_taken",
        "max(size, int(empty.free - one.free))",
        "size",
        MODEL,
    ),
    Mutant(
        "share of perturbed runs in a check",
        "a run that breaks a budget counts as good",
        "lab/heapscope/budgets/judge_perturbed.py::judge_perturbed",
        "good += not bad",
        "good += 1",
        "tests/lab/budgets/test_check.py",
    ),
)
