"""Every constant of the ladder, with its source. None comes from a text that quotes the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heapscope.forecast.predict.wifi_table import chips

#: Light poisoning and task tracking add this to a block of the 4.2 free list: two canaries and the
#: size, the task, the header (lab/models/, tests against the real allocator).
BLOCK = 12 + 4 + 4


@dataclass(frozen=True, kw_only=True)
class Constant:
    value: int
    what: str
    source: str


#: TCB_t at default options: stack pointers 8, two list items of 20, priorities, mutexes and core
#: 16, name 16, saved interrupt level and nesting 8, local storage with its callbacks 8, newlib's
#: _reent 240, notification 8, flags 4, end of stack 4.
TCB = 8 + 2 * 20 + 16 + 16 + 8 + 8 + 240 + 8 + 4 + 4
#: Queue_t of that branch: pointers 16, two lists of 20, counters 12, queue set 4, spinlock 8.
QUEUE = 16 + 2 * 20 + 12 + 4 + 8

#: The driver's own structures: the size of one, and how many, as the sum of parts has them of
#: other firmware.
DRIVER = (80, 84)

CONSTANTS: Mapping[str, Constant] = {
    "driver_state": Constant(
        value=DRIVER[0] * DRIVER[1],
        what="structures of the Wi-Fi driver, which the generator does not make",
        source="espressif/esp-idf issue 7186: what Wi-Fi's start takes, less the known parts",
    ),
    "idle_stack": Constant(
        value=1536, what="stack of an idle task", source="CONFIG_FREERTOS_IDLE_TASK_STACKSIZE"
    ),
    "ipc_stack": Constant(
        value=1024, what="stack of an IPC task", source="CONFIG_ESP_IPC_TASK_STACK_SIZE"
    ),
    "isr_stack": Constant(
        value=1536, what="interrupt stack of a core", source="CONFIG_FREERTOS_ISR_STACKSIZE"
    ),
    "tcb": Constant(value=TCB, what="control block of a task", source="sizeof(TCB_t), FreeRTOS"),
    "semaphore": Constant(
        value=QUEUE, what="a semaphore", source="sizeof(Queue_t), components/freertos/queue.c"
    ),
    "interrupt_table": Constant(
        value=32 * 8,
        what="interrupt table of a core",
        source="32 of sizeof(xt_handler_table_entry)",
    ),
    "exception_table": Constant(
        value=64 * 4,
        what="exception table of a core",
        source="64 function pointers (XCHAL_EXCCAUSE_NUM)",
    ),
    "block": Constant(
        value=BLOCK, what="around a block", source="idf-4.2+light+track, as modelled"
    ),
    "lwip_code": Constant(
        value=chips()["esp32"].iram_kb[2] * 1024,
        what="lwIP's code in IRAM",
        source="ESP-IDF Wi-Fi guide (CONFIG_LWIP_IRAM_OPTIMIZATION)",
    ),
    "clock_mhz": Constant(
        value=160, what="clock, MHz", source="CONFIG_ESP32_DEFAULT_CPU_FREQ_MHZ (4.2)"
    ),
    "restricted_cycles": Constant(
        value=167,
        what="cycles of a load or store in IRAM that is not an aligned word, at most",
        source="help of CONFIG_ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY: an upper bound",
    ),
}


def values() -> dict[str, int]:
    return {name: constant.value for name, constant in CONSTANTS.items()}


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of what the second core takes. `heap`: from the heap at start-up; else static."""

    what: str
    count: int
    each: int
    heap: bool

    @property
    def total(self) -> int:
        return self.count * self.each


def second_core(use: Mapping[str, int]) -> Iterator[Part]:
    """Only a dual-core build has these: one idle task, and the IPC service with a task and three
    semaphores a core, which a single core does without."""
    around = use["block"]
    for what, count, each in (
        ("idle task: stack", 1, use["idle_stack"]),
        ("IPC tasks: stacks", 2, use["ipc_stack"]),
        ("their control blocks", 3, use["tcb"]),
        ("semaphores of IPC", 6, use["semaphore"]),
    ):
        yield Part(what=what, count=count, each=each + around, heap=True)
    for what, name in (
        ("interrupt stack", "isr_stack"),
        ("interrupt table", "interrupt_table"),
        ("exception table", "exception_table"),
    ):
        yield Part(what=what, count=1, each=use[name], heap=False)
