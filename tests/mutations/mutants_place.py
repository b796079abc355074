"""Broken in placements: the programme, its bound, and perturbed runs in a check."""

from __future__ import annotations

from mutant import Mutant

MODEL = "tests/lab/place/test_place_model.py"
POOLS = "tests/lab/place/test_fixed_pools.py"
FIXED = "tests/models/test_fixed.c"

PLACE = (
    Mutant(
        "placement",
        "the limit of slow bytes counts requests",
        "lab/heapscope/answers/place/programme.py::_Model.budget",
        "self._usage.classes.rows[number].requested",
        "self._usage.classes.rows[number].requests",
        MODEL,
    ),
    Mutant(
        "bound of a placement",
        "half of what is held counts at a moment",
        "lab/heapscope/answers/place/programme.py::_Model._peak",
        "(float(held.sum()), highspy.kHighsInf, row)",
        "(float(held.sum()) / 2, highspy.kHighsInf, row)",
        MODEL,
    ),
    Mutant(
        "bound of a placement",
        "a block takes no header",
        "lab/heapscope/answers/place/memories.py::_taken",
        "max(size, int(empty.free - one.free))",
        "size",
        MODEL,
    ),
    Mutant(
        "headline of the placements",
        "memory taken is compared with that of no rules",
        "benches/place/placement_page.py::_less",
        '100 * (row["taken_single"] - row["taken"]) / max(1, row["taken_single"])',
        '100 * (row["taken_none"] - row["taken"]) / max(1, row["taken_none"])',
        "tests/lab/place/test_placement_page.py",
    ),
    Mutant(
        "headline of the placements",
        "the simplest placement is always enough",
        "lab/heapscope/answers/place/find.py::is_better",
        "return figure > less + WORTH * max(1, less)",
        "return figure > less + 1000 * max(1, less)",
        "tests/lab/place/test_placement_page.py",
    ),
    Mutant(
        "both ends of free blocks",
        "rules that win on the first recording are offered",
        "lab/heapscope/answers/place/ends.py::BestEnds.wins",
        "and self._better(self.second)",
        "",
        "tests/lab/place/test_ends.py",
    ),
    Mutant(
        "both ends of free blocks",
        "fit forgets the end of a request",
        "lab/native/fit/load.c::slot_for",
        "high ? HS_FIT_HIGH : 0",
        "high ? 0 : 0",
        "tests/lab/place/test_ends.py",
    ),
    Mutant(
        "both ends of free blocks",
        "the code of the device leaves an owner's bit to the request",
        "lab/heapscope/answers/place/device_code.py::_askers",
        "return (bits.owners[rule.owner],)",
        'return ("",)',
        "tests/lab/place/test_ends.py",
    ),
    Mutant(
        "share of perturbed runs of a placement",
        "a run in which the rules gain nothing counts as good",
        "lab/heapscope/answers/place/perturbed_place.py::perturbed_placement",
        "good += enough and outcome.failures <= none.failures",
        "good += outcome.failures <= none.failures",
        "tests/lab/place/test_perturbed_place.py",
    ),
    Mutant(
        "share of perturbed runs in a check",
        "a run that breaks a budget counts as good",
        "lab/heapscope/fleet/budgets/judge_perturbed.py::judge_perturbed",
        "good += not bad",
        "good += 1",
        "tests/lab/budgets/test_check.py",
    ),
    Mutant(
        "bound of a placement",
        "a resized block takes as much as a new one",
        "lab/heapscope/answers/place/usage.py::held_by",
        "resized=np.minimum(cost, resized)",
        "resized=cost",
        MODEL,
    ),
    Mutant(
        "pools of a placement",
        "the blocks of a pool cost nothing",
        "lab/heapscope/answers/place/programme.py::_Model._peak",
        "row |= {blocks: -each - 1 / 8, built: -float(head)}",
        "row |= {blocks: 0.0, built: -float(head)}",
        MODEL,
    ),
    Mutant(
        "pools of a placement",
        "a class of blocks that are resized goes to a pool",
        "lab/heapscope/answers/place/usage.py::_unresized",
        "result[classes.of[blocks.request[stays]]] = False",
        "pass",
        MODEL,
    ),
    Mutant(
        "pools of a placement",
        "the code of the device gives everyone the pool of one task",
        "lab/heapscope/answers/place/device_code.py::_lines",
        'requested=lambda rule: bits.owners.get(rule.owner, "")',
        'requested=lambda rule: ""',
        POOLS,
    ),
    Mutant(
        "places of a fixed pool",
        "the list of free blocks has one block",
        "lab/models/fixed.c::fixed_free",
        "hs_region_put(heap, offset, get(heap, HEAD_AT));",
        "hs_region_put(heap, offset, 0);",
        FIXED,
    ),
    Mutant(
        "places of a fixed pool",
        "the bits take no room",
        "lab/models/fixed.c::blocks_at",
        "HEAD_BYTES + bits_bytes(count)",
        "HEAD_BYTES",
        FIXED,
    ),
    Mutant(
        "headline of the placements",
        "pools count as offered everywhere",
        "benches/place/pool_rows.py::figures_of_pools",
        'if row[f"{word}_count"]',
        "if True",
        "tests/lab/place/test_placement_page.py",
    ),
)
