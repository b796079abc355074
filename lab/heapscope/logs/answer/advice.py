"""The next step: a command here, or a line for the device's program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.answers.leaks.verdict import LEAK
from heapscope.logs.answer.answer import LogAnswer
from heapscope.logs.answer.own_terms import own_steps, system_of
from heapscope.logs.answer.trend import Trend
from heapscope.logs.reader.pools import REFUSED
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.voices import ESP_IDF

#: A block that TLS asks for: a record with its head (16 KB and 333 bytes).
_USUAL = 16717
#: How requests failed that did not ask the system's heap.
_NO_HEAP = {"python", *REFUSED}


def steps(reading: LogReading, answer: LogAnswer, trends: Sequence[Trend]) -> Iterator[str]:
    """For the device's program, the most useful first; a sentence each."""
    system = system_of(reading)
    yield from own_steps(reading, answer, system)
    if system == ESP_IDF:
        yield from _of_esp_idf(reading, answer, trends)


def _of_esp_idf(reading: LogReading, answer: LogAnswer, trends: Sequence[Trend]) -> Iterator[str]:
    """In the terms of its functions and options."""
    corrupt = answer.corrupt
    if corrupt is not None:
        yield (
            "set CONFIG_HEAP_POISONING_COMPREHENSIVE=y and call "
            "heap_caps_check_integrity_all(true) here and there: the first call that fails is "
            "behind the write"
        )
    if any(one.judged.verdict == LEAK for one in trends):
        yield (
            "record who allocates: heap_trace_start(HEAP_TRACE_LEAKS), then heap_trace_dump(), and "
            "'heapscope import' reads the log with it"
        )
    failed = [one for one in answer.failed if one.how not in REFUSED]
    unsized = [one for one in failed if one.size is None and one.memory]
    if unsized and unsized[0].how != "python":
        yield (
            "call heap_caps_register_failed_alloc_callback(): it prints the size and the "
            "capabilities of each request that fails"
        )
    elif failed and reading.summaries.last is None and answer.corrupt is None:
        yield (
            "call heap_caps_print_heap_info(caps) in the callback of failed requests: it shows "
            "each region at that moment"
        )
    elif answer.free is not None and answer.largest is None:
        yield "print heap_caps_get_largest_free_block(MALLOC_CAP_8BIT) beside what is free"
    elif answer.boot_regions is not None and answer.free is None:
        yield "print heap_caps_print_heap_info(MALLOC_CAP_8BIT) when the program is at work"
        yield (
            "record the program's requests (docs/guide/recorder.md), and 'heapscope replay' with "
            "--boot-log makes them on the heaps of this start"
        )


def next_words(
    reading: LogReading, answer: LogAnswer, *, file: str, requested: bool
) -> tuple[str, ...]:
    """The words of the next command after heapscope; none where there is no file to name."""
    if file == "standard input":
        return ()
    if reading.trace.records:
        return ("import", file, "-o", "T.hst")
    if reading.core_dump is not None and not reading.core_dump.name:
        return ("image", file)
    if answer.declines is not None:
        return ()
    sizes = [one.size for one in answer.failed if one.size and one.how not in _NO_HEAP]
    if not requested and (answer.largest is not None or sizes):
        return ("log", file, "--need", str(max(sizes, default=_USUAL)))
    return ()
