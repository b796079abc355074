"""The firmware's tasks in emulation: no painted stack was used beyond the bound out of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from emulation.firmware.boards import BOARDS
from emulation.firmware.build import Options, build
from emulation.firmware.peer import Peer
from emulation.firmware.run import run_firmware

from heapscope.answers.stacks.stack_answer import bound_stacks
from heapscope.memory.stacks.interrupt_port import InterruptPort
from heapscope.memory.stacks.known_calls import read_known_calls
from heapscope.memory.stacks.task_creation import TaskCreator

CALLS = Path(__file__).resolve().parents[2] / "emulation" / "firmware" / "calls.txt"
MARK = re.compile(r"stack of (\w+): (\d+) of (\d+) bytes used")
CREATOR = TaskCreator("kernel_create", 1, 0, 4)
#: cpu_trap_entry() saves 32 words. The Cortex-M saves 8 and aligns the stack, and PendSV saves 8
#: more; nothing turns on its FPU.
PORTS = {
    "virt": InterruptPort(name="virt", frame=128, source="emulation/firmware/cpu_riscv.c"),
    "mps2": InterruptPort(name="mps2", frame=72, source="emulation/firmware/cpu_cortex_m.c"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PORTS)
def test_no_task_uses_more_than_its_bound(name: str, tmp_path: Path) -> None:
    image = build(BOARDS[name], Options())
    with Peer() as peer:
        ran = run_firmware(BOARDS[name], image, tmp_path / "run.hst", peer=peer)
    marks = {task: (int(used), int(size)) for task, used, size in MARK.findall(ran.console)}
    answer = bound_stacks(
        str(image),
        known=read_known_calls(str(CALLS)),
        port=PORTS[name],
        creators=[CREATOR],
        seen={task: used for task, (used, _) in marks.items()},
    )
    assert {task.name: task.size for task in answer.tasks} == {
        task: size for task, (_, size) in marks.items()
    }
    bounded = {task.name: task for task in answer.tasks if task.bound is not None}
    assert bounded.keys() == marks.keys()
    for task in bounded.values():
        assert task.seen is not None
        assert task.bound is not None
        # Twice the highest mark of some runs; one run may stay below it.
        assert task.seen <= task.bound <= 2.25 * task.seen
    assert answer.followed >= 0.95 * answer.direct
