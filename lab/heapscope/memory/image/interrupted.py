"""Images that were taken while an interrupt was served.

The registers are those of the handler then. The task that it interrupted runs, so that what its
kernel saved of it at its last switch is older.
"""

from __future__ import annotations

from collections.abc import Collection

from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.registers import ARM

_EXCEPTION = 0x1FF  # in an Arm's xpsr: the number of the exception that is served


def interrupted(image: MemoryImage, stacks: Collection[int]) -> bool:
    """Whether a core served an interrupt: by its own register; or its stack is an object of the
    program that none of `stacks`, the saved stack pointers of tasks, lies in."""
    for thread in image.threads:
        if image.machine == ARM:
            if thread.registers.get("xpsr", 0) & _EXCEPTION:
                return True
            continue
        symbol = image.symbols.at(thread.stack_pointer) if image.symbols else None
        if symbol is not None and symbol.size:
            end = symbol.address + symbol.size
            if not any(symbol.address <= pointer <= end for pointer in stacks):
                return True
    return False
