"""A stack that overflowed, in the words of each system: its task, and what makes it larger."""

from __future__ import annotations

from pathlib import Path

import pytest

import heapscope as hs

_ZEPHYR = "E: >>> ZEPHYR FATAL ERROR 2: Stack overflow{}\nE: Current thread: 0x20000a10 ({})\n"
_GURU = "Guru Meditation Error: Core  0 panic'ed ({}). \n"

#: The lines, the task, and the option.
_FORMS = {
    "FreeRTOS's hook of ESP-IDF": (
        "***ERROR*** A stack overflow in task httpd has been detected.\n",
        ("task httpd", "httpd_config_t"),
    ),
    "a watchpoint": (
        _GURU.format("Unhandled debug exception")
        + "Debug exception reason: Stack canary watchpoint triggered (loopTask) \n",
        ("task loopTask", "SET_LOOP_TASK_STACK_SIZE()"),
    ),
    "a guard of the chip": (
        _GURU.format("Stack protection fault")
        + 'Detected in task "main" at 0x42007e4a\nStack bounds: 0x3fc8f3b0 - 0x3fc903a0\n',
        ("task main", "CONFIG_ESP_MAIN_TASK_STACK_SIZE"),
    ),
    "the SDK's own task on a core": (
        _GURU.format("Unhandled debug exception")
        + "Debug exception reason: Stack canary watchpoint triggered (ipc0) \n",
        ("task ipc0", "CONFIG_ESP_IPC_TASK_STACK_SIZE"),
    ),
    "a watchpoint as the cause of the panic": (
        _GURU.format("Stack canary watchpoint triggered (main)"),
        ("task main", "CONFIG_ESP_MAIN_TASK_STACK_SIZE"),
    ),
    "a hook of the program's own, with more words": (
        "vApplicationStackOverflowHook: Stack overflow in task Sensor\n",
        ("task Sensor", "where the task is created"),
    ),
    "the timers' task, whose name has a blank": (
        "Stack overflow in task Tmr Svc\n",
        ("task Tmr Svc", "TIMER_TASK_STACK_DEPTH"),
    ),
    "a hook of the program's own": (
        "vApplicationStackOverflowHook: task Sensor\n",
        ("task Sensor", "where the task is created"),
    ),
    "words of the program's own": (
        "Stack overflow in task: 'LoRa Task'\n",
        ("task LoRa Task", "where the task is created"),
    ),
    "the task before": ("task 'net rx' stack overflow\n", ("task net rx", "is created")),
    "an assertion's words": (
        "Assert: stack overflow task=ble_ll\n",
        ("task ble_ll", "where the task is created"),
    ),
    "Zephyr's guard by the MPU": (
        "E: ***** MPU FAULT *****\nE:   Stacking error\n" + _ZEPHYR.format(" on CPU 0", "main"),
        ("task main", "CONFIG_MAIN_STACK_SIZE"),
    ),
    "Zephyr's limit register": (
        "E: ***** USAGE FAULT *****\nE:   Stack overflow (context area not valid)\n"
        + _ZEPHYR.format(" on CPU 0", "shell_uart"),
        ("task shell_uart", "CONFIG_SHELL_STACK_SIZE"),
    ),
    "Zephyr's sentinel on one core": (
        _ZEPHYR.format("", "sysworkq"),
        ("task sysworkq", "CONFIG_SYSTEM_WORKQUEUE_STACK_SIZE"),
    ),
    "Mbed": (
        "++ MbedOS Error Info ++\nError Message: CMSIS-RTOS error: Stack overflow\n"
        "Location: 0x8003E9B\nCurrent Thread: main Id: 0x20001D24 Entry: 0x8004B15 "
        "StackSize: 0x1000 StackMem: 0x20000D18 SP: 0x2001FEE8 \n",
        ("task main", "rtos.main-thread-stack-size"),
    ),
    "NuttX": (
        "[ERROR] Assertion failed panic: at file: irq/irq_unexpectedisr.c:54 task: hello "
        "process: hello 0x8005c71\nstack_dump: ERROR: Stack pointer is not within the stack\n",
        ("task hello", "STACKSIZE in the Makefile"),
    ),
    "RT-Thread": ("thread:tshell stack overflow\n", ("task tshell", "FINSH_THREAD_STACK_SIZE")),
    "ThreadX": (
        "thread 'net thread' stack overflow\n",
        ("task net thread", "tx_thread_create()"),
    ),
    "RTX": ("osRtxErrorStackOverflow thread=0x20000400\n", ("a task", "osThreadAttr_t")),
    "RIOT": ("scheduler(): stack overflow detected, pid=3\n", ("task 3", "thread_create()")),
    "a limit of the core": (
        "UsageFault: STKOF PSP=0x20000ff8 PSPLIM=0x20001000\n",
        ("a task", "where the task is created"),
    ),
    "a sketch on an ESP8266": (
        "CUT HERE FOR EXCEPTION DECODER\nStack overflow detected.\nException (2):\n",
        ("task cont", "move large arrays off it"),
    ),
    "CircuitPython": (
        "Stack overflow. Increase the stack size if you know how.\n",
        ("task main", "next_stack_limit"),
    ),
}


@pytest.mark.parametrize(
    "line",
    [
        "ERROR: Stack overflow detected in task 'net'",
        "HardFault: stack overflow in 'net'",
        "[PANIC] Stack overflow: task=net free=0",
        "FreeRTOS: stack overflow (task: net)",
        "Stack overflow (task=net)",
        "stack overflow, task: net",
        "Stack overflow detected! Task: net",
        "Task net: stack overflow",
        "Task net has overflowed its stack",
        "FATAL: stack of task net overflowed",
    ],
)
def test_words_of_a_program_name_the_task(tmp_path: Path, line: str) -> None:
    log = tmp_path / "device.log"
    log.write_text(f"{line}\n", encoding="ascii")
    assert "The stack of task net overflowed (line 1)" in hs.log(log).verdict[0]


@pytest.mark.parametrize("form", _FORMS)
def test_a_stack_that_overflowed_has_its_task_and_its_option(tmp_path: Path, form: str) -> None:
    lines, expected = _FORMS[form]
    path = tmp_path / "device.log"
    path.write_text(lines, encoding="ascii")
    first = hs.log(path).verdict[0]
    assert f"The stack of {expected[0]} overflowed" in first
    assert expected[1] in first


@pytest.mark.parametrize(
    "line",
    [
        "stack overflow protection is enabled",
        "warning: tshell stack is close to end of stack address.",
        "STKOF_ENABLE=1",
        "thread 'worker' started",
        "see https://stackoverflow.com/q/1 about task stacks",
    ],
)
def test_other_words_of_stacks_are_no_overflow(tmp_path: Path, line: str) -> None:
    path = tmp_path / "device.log"
    path.write_text(f"{line}\n", encoding="ascii")
    assert "overflowed" not in " ".join(hs.log(path).verdict)
