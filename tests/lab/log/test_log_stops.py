"""How a program ended comes first: damage, stacks, requests, the power, watchdogs, panics."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import heapscope as hs

_STATE = "Free heap: 150004\n"
_GURU = "Guru Meditation Error: Core  0 panic'ed ({}). Exception was unhandled.\n"
_PC = "PC      : 0x4009567b  PS      : 0x00060c33  A0      : 0x80085424\n"
_INNER = "0x4009567b: {} at /opt/esp-idf/components/heap/{}:380\n"
_FAILED = "app: malloc of 4096 bytes failed\n"

#: The lines, and what the first sentence has.
_FIRST = {
    "text behind a block": (
        "CORRUPT HEAP: Bad tail at 0x3ffb1234. Expected 0xbaad5678 got 0x6c6c6568\n",
        ("behind the end of a block", '"hell"'),
    ),
    "a zero behind a block": (
        "CORRUPT HEAP: Bad tail at 0x3ffb1234. Expected 0xbaad5678 got 0xbaad5600\n",
        ("zero byte", "off by one"),
    ),
    "freed twice": (
        "CORRUPT HEAP: Bad head at 0x3ffb1234. Expected 0xabba1234 got 0x3ffb8a10\n",
        ("freed already", "twice"),
    ),
    "an assertion of 5.4": (
        'assert failed: remove_free_block tlsf_control_functions.h:331 (prev && "x")\n',
        ("overwritten", "remove_free_block"),
    ),
    "freed twice, by an assertion": (
        "assert failed: tlsf_free tlsf.c:1120 "
        '(!block_is_free(block) && "block already marked as free")\n',
        ("twice",),
    ),
    "an assertion with its path": (
        "assert failed: tlsf_malloc /opt/idf/components/heap/tlsf/tlsf.c:941 (block)\n",
        ("overwritten", "tlsf_malloc"),
    ),
    "an assertion of sys_heap": (
        "ASSERTION FAIL [chunk_used(h, c)] @ ZEPHYR_BASE/lib/heap/heap.c:197\n"
        "E: >>> ZEPHYR FATAL ERROR 4: Kernel panic on CPU 0\n",
        ("overwritten", "sys_heap"),
    ),
    "a program's own check": ("E (9) app: heap corruption detected\n", ("overwritten", "check")),
    "a block that was freed": (
        _GURU.format("Load access fault") + "MTVAL   : 0xfefefefe  MHARTID : 0x00000000\n",
        ("a block that was freed", "no lack of heap"),
    ),
    "no address of a heap": (
        "assert failed: heap_caps_free heap_caps_base.c:78 "
        '(heap != NULL && "free() target pointer is outside heap areas")\n',
        ("no heap gave out",),
    ),
    "a panic in the allocator": (
        _GURU.format("LoadProhibited")
        + _PC
        + _INNER.format("block_next", "tlsf.c")
        + "EXCVADDR: 0xe0ffd8ff  LBEG    : 0x40096eb8\n",
        ("damaged", "JPEG"),
    ),
    "a canary": (
        _GURU.format("Unhandled debug exception")
        + "Debug exception reason: Stack canary watchpoint triggered (main)\n",
        ("stack of task main", "CONFIG_ESP_MAIN_TASK_STACK_SIZE", "no lack of heap"),
    ),
    "FreeRTOS's hook": (
        "***ERROR*** A stack overflow in task my task has been detected.\n",
        ("stack of task my task overflowed", "where the task is created"),
    ),
    "a RISC-V stack": (
        _GURU.format("Stack protection fault") + 'Detected in task "httpd" at 0x42001234\n',
        ("stack of task httpd", "httpd_config_t"),
    ),
    "a Zephyr stack": (
        "E: >>> ZEPHYR FATAL ERROR 2: Stack overflow on CPU 0\n"
        "E: Current thread: 0x20000528 (sysworkq)\n",
        ("stack of task sysworkq", "CONFIG_SYSTEM_WORKQUEUE_STACK_SIZE"),
    ),
    "the power": ("Brownout detector was triggered\n", ("brown-out", "power supply")),
    "a watchdog": (
        "E (9) task_wdt: Task watchdog got triggered. The following tasks did not reset it:\n"
        "E (9) task_wdt:  - IDLE0 (CPU 0)\nE (9) task_wdt: CPU 0: busy\n",
        ("watchdog", "IDLE0", "busy", "no lack of heap"),
    ),
    "a panic elsewhere": (
        _GURU.format("IntegerDivideByZero") + _PC + _INNER.format("mean", "a.c"),
        ("IntegerDivideByZero", "mean", "a division by zero"),
    ),
    "an ESP8266": ("Exception (28):\nepc1=0x40201234 excvaddr=0x00000000\n", ("LoadProhibited",)),
    "a region of the linker": (
        "ld: region `iram0_0_seg' overflowed by 5908 bytes\n",
        ("iram0_0_seg", "5,908 B", "not built"),
    ),
}
_ORDER = (  # of rank
    "CORRUPT HEAP: Bad tail at 0x3ffb1234. Expected 0xbaad5678 got 0x12345678\n",
    "***ERROR*** A stack overflow in task work has been detected.\n",
    _FAILED,
    "Brownout detector was triggered\n",
    "E (9) task_wdt: Task watchdog got triggered. The following tasks did not reset it:\n",
)
_WORDS = ("overwritten", "stack of task", "4,096 B", "brown-out", "watchdog")


def _said(text: str, folder: Path, **options: object) -> tuple[str, ...]:
    log = folder / "device.log"
    log.write_text(text)
    return hs.log(log, **options).verdict  # type: ignore[arg-type]


@pytest.mark.parametrize("name", _FIRST)
def test_what_ended_the_program_is_said_first(name: str, tmp_path: Path) -> None:
    text, words = _FIRST[name]
    first = _said(_STATE + text, tmp_path)[0]
    assert all(word in first for word in words), first


def test_the_order_is_that_of_rank_and_not_of_lines(tmp_path: Path, seed: int) -> None:
    lines = list(_ORDER)
    random.Random(seed).shuffle(lines)
    said = _said(_STATE + "".join(lines), tmp_path)
    places = [next(i for i, one in enumerate(said) if word in one) for word in _WORDS]
    assert places == sorted(places)


def test_a_null_after_a_failed_request_is_that_failure(tmp_path: Path) -> None:
    panic = _GURU.format("StoreProhibited") + "EXCVADDR: 0x00000004  LBEG : 0x40096eb8\n"
    said = _said(_FAILED + panic, tmp_path)
    assert "4,096 B" in said[0]
    assert "after the request that failed on line 1" in said[1]
    assert "nothing shows that the heap is the cause" in _said(panic, tmp_path)[0]


@pytest.mark.parametrize(
    "text",
    [
        "thread 'main' panicked at src/alloc.rs:438:13:\nmemory allocation of 4096 bytes failed\n",
        "Exception (29):\nexcvaddr=0x00000000\nlast failed alloc call: 40201F00(4096)\n",
        "panicked at src/m.rs:3:5:\nallocation error: Layout { size: 4096, align: 8 (1 << 3) }\n",
        "panicked at 'allocation error: Layout { size: 4096, align: 8 (1 << 3) }', src/m.rs:3:5\n",
        "error: Layout { size_: 4096, align_: 8 }\n",
        "ERROR panicked at 'memory allocation of 4096 bytes failed', src/alloc.rs:393:13\n",
        "!! A panic occured in 'src/m.rs', at line 1, column 2: memory allocation of 4096 bytes "
        "failed\n",
    ],
)
def test_a_panic_and_its_request_are_one(text: str, tmp_path: Path) -> None:
    said = " ".join(_said(text, tmp_path))
    assert "A request of 4,096 B" in said
    assert " failed" in said
    assert "othing shows that the heap is the cause" not in said


def test_a_region_of_the_linker_is_said_once(tmp_path: Path) -> None:
    text = (
        "ld: section `.bss' will not fit in region `dram0_0_seg'\n"
        "ld: region `dram0_0_seg' overflowed by 182 bytes\n"
    )
    (one,) = _said(text, tmp_path)
    assert "by 182 B (line 2)" in one


def test_starts_before_that_failed_are_named(tmp_path: Path) -> None:
    start = (
        "rst:0x1 (POWERON_RESET)\nI (900) app: free heap 90000\nE ({}) app: malloc(4096) failed\n"
    )
    text = start.format(7_200_000) + start.format(7_300_000) + start.format(0).partition("E (0")[0]
    said = " ".join(_said(text, tmp_path))
    assert "2 of the 2 starts before this one had a request that failed" in said
    assert "2 starts before" not in " ".join(_said(start.format(9000), tmp_path))


def test_what_failed_is_never_said_to_fit(tmp_path: Path) -> None:
    text = _FAILED + "\n" * 40 + "free heap 200000, largest free block 110592\n"
    result = " ".join(_said(text, tmp_path, need=[4096]))
    assert "cannot be told" in result
    assert "would fit:" not in result
    assert "4,095 B would fit" in " ".join(_said(text, tmp_path, need=[4095]))


@pytest.mark.parametrize(
    "line",
    [
        "stack overflow protection is enabled",
        "I (12) brownout: detector set to level 7",
        "I (33) task_wdt: timeout is 5 s",
        "see stackoverflow.com for stack canary questions",
        "assert that the region is free",
        "Backtrace: off",
        "PC : ready",
        "exception handling is on",
        "I (12) app: no heap corruption detected",
        "we saw that heap corruption detected by the tool is what you have had before",
    ],
)
def test_an_ordinary_line_is_no_failure(line: str, tmp_path: Path) -> None:
    said = _said(_STATE + line + "\n", tmp_path)
    assert said == ("In the last state: 150,004 B are free.",)
