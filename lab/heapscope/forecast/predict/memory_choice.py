"""The memory that the options ask for: that of a configuration is predict's, in every verb."""

from __future__ import annotations

from pathlib import Path

from heapscope.memory.choose import plain_memory
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static_choice import ChosenMemory


def is_predicted(options: MemoryOptions) -> bool:
    """The memory is what predict says of a configuration."""
    named = "load" in options or ("sdkconfig" in options and "boot_log" not in options)
    return (
        "system" not in options
        and named
        and options.get("pool") is None
        and options.get("layout") is None
    )


def choose_memory(options: MemoryOptions, trace: Path | None) -> ChosenMemory:
    """Raises InputError for options that contradict each other or name what is not known."""
    if is_predicted(options):
        from heapscope.forecast.predict.loaded_memory import loaded_memory  # its tables take time

        return loaded_memory(options, trace)
    return plain_memory(options, trace)
