"""Heap use by task, in each form in which it is printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import heapscope as hs

#: Figures of espressif/esp-idf issue 12100.
BY_CAPS = """\
W (5542) net: After netif: free_heap_size = 126284, largest_free_block = 110576
Task: Pre-Scheduler allocs -> CAP_8BIT: 4192 CAP_32BIT: 0
Task: ipc0 -> CAP_8BIT: 17416 CAP_32BIT: 0
Task: main -> CAP_8BIT: 41184 CAP_32BIT: 0
Task: ipc1 -> CAP_8BIT: 28 CAP_32BIT: 0
"""
OVERVIEW = """\
┌────────────────────┬─────────┬──────────────────────┬───────────────────┬─────────────────┐
│ TASK               │ STATUS  │ CURRENT MEMORY USAGE │ PEAK MEMORY USAGE │ TOTAL HEAP USED │
├────────────────────┼─────────┼──────────────────────┼───────────────────┼─────────────────┤
│          leak task │ DELETED │                11392 │             11616 │               1 │
│               main │ ALIVE   │                  -16 │              7412 │               2 │
└────────────────────┴─────────┴──────────────────────┴───────────────────┴─────────────────┘
"""
DETAILS = """\
├ DELETED: leak task, CURRENT MEMORY USAGE 11392, PEAK MEMORY USAGE 11616, TOTAL HEAP USED 1:
│    └ HEAP: RAM, CAPS: 0x0010580e, SIZE: 22308, USAGE: CURRENT 11392 (51%), PEAK 11616 (52%), \
ALLOC COUNT: 2
│         ├ ALLOC 0x3fcebbb8, SIZE 6656
│         ├ ALLOC 0x3fced5bc, SIZE 4736
└ ALIVE: main, CURRENT MEMORY USAGE -16, PEAK MEMORY USAGE 7412, TOTAL HEAP USED 2:
     ├ HEAP: RAM, CAPS: 0x0010580e, SIZE: 344400, USAGE: CURRENT 220 (0%), PEAK 220 (0%), \
ALLOC COUNT: 3
     └ HEAP: RAM, CAPS: 0x0010580e, SIZE: 22308, USAGE: CURRENT 88 (0%), PEAK 7192 (32%), \
ALLOC COUNT: 5
"""
EXAMPLE = """\
leak task: DELETED: Peak Usage 11616, Current Usage 11392
    RAM: Caps: 1071118. Size 22308, Current Usage 11392, Peak Usage 11616, alloc count 2
        0x3fceb878: Size: 6656
        0x3fceb634: Size: 4736
main: ALIVE  : Peak Usage 7412, Current Usage -16
    RAM: Caps: 1071118. Size 344400, Current Usage 220, Peak Usage 220, alloc count 3
    RAM: Caps: 1071118. Size 22308, Current Usage 88, Peak Usage 7192, alloc count 5
"""


def rows(contents: Any) -> list[tuple[Any, ...]]:
    return [(t.name, t.state, t.used, t.peak) for t in contents.tasks.largest()]


def test_the_table_by_capabilities_is_read(read: Any) -> None:
    contents = read(BY_CAPS)
    assert rows(contents) == [
        ("main", "", 41184, None),
        ("ipc0", "", 17416, None),
        ("Pre-Scheduler allocs", "", 4192, None),
        ("ipc1", "", 28, None),
    ]
    main = contents.tasks.largest()[0]
    assert main.columns == {"CAP_8BIT": 41184, "CAP_32BIT": 0}
    assert main.uptime == 5542


def test_other_columns_and_handles_are_read(read: Any) -> None:
    """The line stands in espressif/esp-idf issue 13642."""
    text = "Task: lua 0x3fca147c -> MALLOC_CAP_INTERNAL: 69908 MALLOC_CAP_SPIRAM: 151368 High 35\n"
    (task,) = read(text).tasks.largest()
    assert (task.name, task.used) == ("lua", 69908)
    assert task.columns["MALLOC_CAP_SPIRAM"] == 151368


@pytest.mark.parametrize("text", [OVERVIEW, DETAILS, EXAMPLE])
def test_the_forms_of_5_5_tell_the_same(read: Any, text: str) -> None:
    expected = [("leak task", "deleted", 11392, 11616), ("main", "alive", -16, 7412)]
    assert rows(read(text)) == expected


@pytest.mark.parametrize("text", [DETAILS, EXAMPLE])
def test_the_details_tell_the_regions(read: Any, text: str) -> None:
    leak, main = read(text).tasks.largest()
    assert [(h.size, h.used, h.peak, h.count) for h in leak.heaps] == [(22308, 11392, 11616, 2)]
    assert [(h.size, h.used, h.peak, h.count) for h in main.heaps] == [
        (344400, 220, 220, 3),
        (22308, 88, 7192, 5),
    ]


@pytest.mark.parametrize("box", ["|", "?", "\xb3"])
@pytest.mark.parametrize("wrap", ["{}", "[12:34:56] {}", "2026-03-01 09:30:00 {}", "\x1b[0;32m{}"])
def test_box_characters_may_be_damaged(read: Any, box: str, wrap: str) -> None:
    text = "".join(wrap.format(line) for line in OVERVIEW.replace("│", box).splitlines(True))
    raw = text.encode("latin-1", "replace")
    assert [row[0] for row in rows(read(raw))] == ["leak task", "main"]


@pytest.mark.parametrize("step", [1, 3, 1 << 20])
@pytest.mark.parametrize("order", ["le", "be"])
def test_box_characters_in_utf_16_are_read(read: Any, order: str, step: int) -> None:
    """A Windows shell redirects output so."""
    text = ("\ufeff" + OVERVIEW).encode(f"utf-16-{order}")
    assert rows(read(text, step)) == rows(read(OVERVIEW))


def test_the_last_table_counts_and_the_first_is_kept_for_growth(read: Any) -> None:
    later = BY_CAPS.replace("41184", "52000")
    contents = read(BY_CAPS + "\n\nI (9000) app: later\n" + later)
    main = contents.tasks.largest()[0]
    assert (main.used, main.first, main.times) == (52000, 41184, 2)
    assert contents.tasks.tables == 2


def test_two_tasks_of_one_name_in_one_table_are_two(read: Any) -> None:
    text = OVERVIEW.replace("leak task", "     main")
    contents = read(text + "I (1) app: x\n" + text)
    assert [row[:2] for row in rows(contents)] == [("main", "deleted"), ("main", "alive")]
    assert contents.tasks.tables == 2


def test_a_hostile_name_is_safe_to_show(read: Any) -> None:
    (task,) = read(b"Task: \xf0\x9f\x07\xff? -> CAP_8BIT: 3648 CAP_32BIT: 0\n").tasks.largest()
    assert task.name.isprintable()


def test_very_many_tasks_are_bounded(read: Any) -> None:
    text = "".join(f"Task: task{i} -> CAP_8BIT: {i} CAP_32BIT: 0\n" for i in range(3000))
    assert len(read(text).tasks.largest()) == 1000


def test_a_task_list_needs_no_head(tmp_path: Path) -> None:
    path = tmp_path / "device.log"
    path.write_text(
        "main_task      \tR\t1\t412\t1\n"
        "Tmr Svc        \tB\t5\t36\t4\t-1\n"
        "Vitamin        B 12 is free of 3\n"
        "5 B 1 2 3\n"
    )
    pools = {one.name: one.free for one in hs.log(path).pools}
    assert pools == {"main_task": 412, "Tmr Svc": 36}
