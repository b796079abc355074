"""Figures that do not mean what they say: known faults of programs that print them."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base.wording import size
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.voices import ESP_IDF, PYTHON

#: An untouched region of the ESP32 reports one of these as its largest block, by version; light
#: poisoning takes 12 bytes off it. 113,840 bytes is its largest region.
_UNTOUCHED = frozenset(size - less for size in (110_592, 113_792) for less in (0, 12))
_WORD16 = 1 << 16
#: Light poisoning takes 12 bytes off the largest block that is reported.
_POISONED = (0, 12)
#: Programs of these kinds never came with a release that reports powers of two.
_NEVER_POWERS = {"Arduino", "Meshtastic", "Tasmota", "ESPHome"}
_CLASS = 64  # bytes from which on a power of two is a sign
_RAM_8266 = 96 << 10  # bytes of RAM that a program of it can have


def unwrapped(largest: int, free: int | None, words: str) -> int | None:
    """The largest block behind one that a program kept in 16 bits, as programs for the ESP8266 do;
    None: nothing shows that. `words`: the line."""
    if free is None or largest >= _WORD16 or "max" not in words.lower():
        return None
    whole = largest + _WORD16
    return whole if whole in _UNTOUCHED and whole <= free else None


def may_be_power(reading: LogReading, largest: int) -> bool:
    """Whether this largest block may be the power of two below the real one, as ESP-IDF 4.2.2 to
    4.3.1 report it."""
    boots = reading.boots
    if reading.voices.system not in ("", ESP_IDF, PYTHON):
        return False
    if boots.reported("framework") in _NEVER_POWERS or boots.reported("idf")[:2] in ("v5", "v6"):
        return False
    hows = {one.how for one in reading.failures.listed()}
    if boots.reported("chip") == "esp8266" or hows & {"ESP8266", "ESP8266 SDK"}:
        return False
    others = [
        point.value
        for (_, name), series in reading.figures.series.items()
        if name == "largest"
        for point in series.points
    ]
    others += [
        region.largest
        for summary in reading.summaries.kept
        for region in summary.regions
        if region.largest is not None and region.largest >= _CLASS
    ]
    return _is_power(largest) and all(map(_is_power, others))


def _is_power(number: int) -> bool:
    return any((number + more) & (number + more - 1) == 0 for more in _POISONED) and number > 0


def has_psram(reading: LogReading) -> bool:
    """Whether the log speaks of PSRAM."""
    boot = reading.boots.current
    reported = any(memory == "spiram" for memory, _ in reading.figures.series)
    return reported or bool(boot.psram_pools) or boot.psram_size is not None


#: Frameworks of Arduino, whose getters count internal memory.
_ARDUINO = {"Arduino", "Meshtastic", "ESPHome", "Tasmota"}
_PYTHON_OWN = "the heap of Python's collector"


def remarks(reading: LogReading, *, chip: str, wrapped: int | None) -> Iterator[str]:
    """The limits of figures, a sentence each. `wrapped`: the largest block as printed in 16
    bits, or None."""
    figures = reading.figures
    if wrapped is not None:
        yield (
            f"the largest block is printed as {size(wrapped)}: a program that keeps it in 16 bits "
            f"prints {wrapped + _WORD16:,} so, which is what an untouched region of an ESP32 has"
        )
    arduino = figures.arduino or reading.boots.reported("framework") in _ARDUINO
    if arduino and chip in ("", "esp32") and ("any", "free") in figures.series:
        yield (
            "ESP.getFreeHeap() counts all internal memory, on an ESP32 also memory for code that "
            "malloc cannot use: heap_caps_get_free_size(MALLOC_CAP_8BIT) tells what it can"
        )
    if figures.invalid:
        first = figures.invalid[0]
        yield (
            f"{first.value:,} on line {first.line:,} cannot be the size of a heap (the words "
            "0xAAAAAAAA are read where PSRAM does not answer): such figures are left out"
        )
    if ("wifi", "free") in figures.series:
        yield (
            "'heap:' in a line of the Wi-Fi library counts all memory, PSRAM too; its buffers must "
            "be in internal memory, and 'len' is what they carry, not what is asked for"
        )
    yield from _of_requests(reading)
    if reading.unended is not None:
        yield f"line {reading.unended:,} has no end: its last number may be cut"
    if any((name == "min") for _, name in figures.series) or reading.summaries.last is not None:
        yield (
            "a minimum is the sum of each region's own minimum since the start, of different "
            "moments: not a state that ever was"
        )


def _of_requests(reading: LogReading) -> Iterator[str]:
    failures = reading.failures.listed()
    if any(one.size == 0 for one in failures):
        yield "ESP-IDF 4.4 and 5.0 tell a request of 0 bytes as failed although memory is left"
    huge = [one for one in failures if one.how == "ESP8266 SDK" and (one.size or 0) > _RAM_8266]
    if huge:
        yield (
            f"{size(huge[0].size or 0)} is more than an ESP8266 has: a wrong size rather than a "
            "lack of memory"
        )
    for fact in reading.failures.others[:3]:
        yield f"line {fact.line:,} only looks like a lack of memory: {fact.text}"
    if any(not one.memory for one in failures):
        yield "tasks were not created because FreeRTOS lacks a patch of ESP-ADF, not for memory"
    if any(one.how == "python" for one in failures) and reading.summaries.last is not None:
        yield f"MemoryError is of {_PYTHON_OWN}, not of the heap that the summary shows"
