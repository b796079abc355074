"""Broken in the lists that task tracking has of tasks and their blocks."""

from __future__ import annotations

from mutant import Mutant

LISTS = "tests/native/test_task_lists.c"
TRACKED = "tests/lab/replay/test_tracked_firmware.py"

TASK_LISTS = (
    Mutant(
        "region of the lists of tasks",
        "they lie in the smallest heap",
        "lab/native/chip/task_lists.c::hs_lists_init",
        "chip->region[i].size > chip->region[host].size",
        "chip->region[i].size < chip->region[host].size",
        LISTS,
    ),
    Mutant(
        "lists of tasks",
        "a block keeps its entry after its free",
        "lab/native/chip/task_lists.c::hs_lists_frees",
        "give(chip, block->listed.block);",
        "",
        LISTS,
    ),
    Mutant(
        "lists of a task that ends",
        "its entries go in any order",
        "lab/native/chip/task_lists.c::by_order",
        "(*a)->listed.order < (*b)->listed.order ? -1 : 1",
        "(*a)->listed.order < (*b)->listed.order ? 1 : -1",
        LISTS,
    ),
    Mutant(
        "largest that heap_caps_get_info reports",
        "the task's word is not taken off",
        "lab/native/measure/rows.c::reported_largest",
        "largest > heap->around.owner ? largest - heap->around.owner : 0",
        "largest > heap->around.owner ? largest : 0",
        TRACKED,
    ),
)
