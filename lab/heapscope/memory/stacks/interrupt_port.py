"""The bytes that an interrupt puts on the stack of the task, by port, with their source."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from heapscope.memory.stacks.code_elf import CodeElf


@dataclass(frozen=True, kw_only=True)
class InterruptPort:
    """`frame`: bytes below the task's stack pointer, at most; `top`: bytes at the stack's upper end
    that belong to the port; `wrapper`: the function that calls a task's entry, "": none."""

    name: str
    frame: int
    top: int = 0
    wrapper: str = ""
    source: str


_XTENSA = InterruptPort(
    name="ESP-IDF, Xtensa",
    frame=192,
    top=256,
    wrapper="vPortTaskWrapper",
    source="XT_STK_FRMSZ and XT_CP_SIZE of components/xtensa/include/xtensa_context.h, with the "
    "larger of the save areas of esp32 (48; 72) and esp32s3 (40; 72 and 144) in their "
    "xtensa/config/tie.h",
)
_RISCV = InterruptPort(
    name="ESP-IDF, RISC-V",
    frame=160,
    wrapper="vPortTaskWrapper",
    source="RV_STK_FRMSZ of components/riscv/include/riscv/rvruntime-frames.h: 37 words, aligned",
)
_RISCV_COPROCESSORS = InterruptPort(
    name="ESP-IDF, RISC-V with coprocessors",
    frame=160,
    top=448,
    wrapper="vPortTaskWrapper",
    source="RV_STK_FRMSZ, and RvCoprocSaveArea (24), RvFPUSaveArea (132), RvHWLPSaveArea (24) and "
    "RvPIESaveArea (216) with their alignment, which are taken from the stack; "
    "components/riscv/include/riscv/rvruntime-frames.h",
)
_CORTEX_M = InterruptPort(
    name="FreeRTOS, Cortex-M",
    frame=72,
    source="8 words and alignment (ARMv7-M Architecture Reference Manual, B1.5.7), and r4 to r11 "
    "with r14 of FreeRTOS's xPortPendSVHandler",
)
_CORTEX_M_FPU = InterruptPort(
    name="FreeRTOS, Cortex-M with its FPU",
    frame=208,
    source="26 words and alignment (ARMv7-M Architecture Reference Manual, B1.5.7), and r4 to r11, "
    "r14 and s16 to s31 of FreeRTOS's xPortPendSVHandler",
)
_SWITCHES = ("PendSV_Handler", "xPortPendSVHandler")
#: VSTMDB Rn!, {s16-s31} ("ARMv7-M Architecture Reference Manual", A7.7.255).
_SAVES_FPU = re.compile(rb"[\x20-\x2f]\xed\x10\x8a", re.DOTALL)
#: A function of Xtensa's windows may save 4 registers of its caller below its own stack pointer
#: ("Xtensa ISA", The Base-Save Area).
WINDOW_SAVE = 16


def port_of(code: CodeElf) -> InterruptPort | None:
    """By functions of the port that are in the program; None: no port that is known."""
    names: Collection[str] = code.aliases
    if code.machine == "xtensa" and "_frxt_int_enter" in names:
        return _XTENSA
    if code.machine.startswith("riscv") and "rtos_int_enter" in names:
        coprocessors = {"rtos_save_fpu_coproc", "rtos_save_pie_coproc"} & set(names)
        return _RISCV_COPROCESSORS if coprocessors else _RISCV
    switches = [name for name in _SWITCHES if name in names]
    if code.machine == "thumb" and switches:
        fpu = any(_saves_fpu(code, code.aliases[name]) for name in switches)
        return _CORTEX_M_FPU if fpu else _CORTEX_M
    return None


def _saves_fpu(code: CodeElf, number: int) -> bool:
    """Tasks of a port that does not save s16 to s31 cannot use the FPU."""
    function = code.functions[number]
    return (
        _SAVES_FPU.search(code.bytes_at(function.start, function.end - function.start)) is not None
    )
