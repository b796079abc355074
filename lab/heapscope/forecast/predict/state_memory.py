"""Free memory in each state of a program, as a result: what predict prints and writes."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.forecast.predict.memory_states import MEMORIES, FreeBand, MemoryModel


class ByteBand(Row):
    """The middle of free bytes, and a band that is to hold 80 % of all cases. Below 0: so much is
    missing, and the configuration does not fit."""

    median: int = figure("The middle; below 0: so much does not fit.", "B", least=None)
    low_80: int = figure("The lower bound of the 80 % band.", "B", least=None)
    high_80: int = figure("The upper bound of the 80 % band.", "B", least=None)


class StateFree(Row):
    """The free memory of a state."""

    dram: ByteBand = figure(
        "Internal memory that malloc gives, by bytes: at boot the sum of its regions before any "
        "allocation; in later states what esp_get_free_heap_size reports of internal memory, "
        "which has RTC memory in it where the heap has."
    )
    iram: ByteBand = figure(
        "Instruction memory of the ESP32 that no code takes. malloc never gives it. Other chips "
        "have none apart: 0."
    )
    psram: ByteBand = figure("PSRAM; 0: the configuration has none.")


def states_of(model: MemoryModel) -> dict[str, StateFree]:
    """By name, in the order in which a program comes to them."""
    built = {}
    for state in model.states:
        free = model.free(state)
        built[state] = StateFree(**{memory: byte_band(free[memory]) for memory in MEMORIES})
    return built


def byte_band(free: FreeBand) -> ByteBand:
    low, high = free.median - free.half_80, free.median + free.half_80
    return ByteBand(median=round(free.median), low_80=round(low), high_80=round(high))
