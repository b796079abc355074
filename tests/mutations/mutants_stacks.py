"""Broken in the bounds of stacks: frames out of machine code, and the deepest way through calls."""

from __future__ import annotations

from mutant import Mutant

FRAMES = "tests/lab/stacks/test_code_frames.py"
ANSWER = "tests/lab/stacks/test_stack_answer.py"
KNOWN = "tests/lab/stacks/test_known_targets.py"

STACKS = (
    Mutant(
        "bounds of stacks",
        "an overflow of NuttX has no task",
        "lab/heapscope/logs/reader/stops.py::LoggedStops._stack",
        "if not fact.name and panic is not None and panic.task:",
        "if False:",
        "tests/lab/log/test_log_stack_overflow.py",
    ),
    Mutant(
        "bounds of stacks",
        "a condition lifts the stack pointer for both ways",
        "lab/native/frames/walk.c::apply",
        "if (maybe && (int32_t)before.number",
        "if (!maybe && (int32_t)before.number",
        FRAMES,
    ),
    Mutant(
        "bounds of stacks",
        "two ways to an address leave the shallower stack pointer",
        "lab/native/frames/value.c::hs_state_merge",
        "(int32_t)theirs < (int32_t)mine",
        "(int32_t)theirs > (int32_t)mine",
        FRAMES,
    ),
    Mutant(
        "bounds of stacks",
        "a variable array counts as known",
        "lab/native/frames/walk.c::hs_walk_set_sp",
        "value.kind == HS_VALUE_VARIABLE ? HS_LAB_FRAME_DYNAMIC : 0",
        "value.kind == HS_VALUE_FRAME ? 0 : 0",
        FRAMES,
    ),
    Mutant(
        "bounds of stacks",
        "a callee counts from the caller's start",
        "lab/heapscope/answers/stacks/worst_path.py::WorstPaths._finish",
        "deepest, by = edge.depth + below, edge",
        "deepest, by = below, edge",
        ANSWER,
    ),
    Mutant(
        "bounds of stacks",
        "a recursion leaves a bound",
        "lab/heapscope/answers/stacks/worst_path.py::WorstPaths._walk",
        "self._add_cycle(current, callee)",
        "pass",
        ANSWER,
    ),
    Mutant(
        "bounds of stacks",
        "an interrupt takes nothing of a task's stack",
        "lab/heapscope/answers/stacks/stack_answer.py::_Tasks._added",
        "added + self._port.frame + self._port.top + frame",
        "added + frame",
        ANSWER,
    ),
    Mutant(
        "bounds of stacks",
        "what a wrapper hands on counts as nothing",
        "lab/heapscope/answers/stacks/known_targets.py::KnownTargets._handed",
        "not in within:",
        "in ():",
        KNOWN,
    ),
    Mutant(
        "bounds of stacks",
        "a function whose address a table has is called by its name alone",
        "lab/heapscope/answers/stacks/known_targets.py::KnownTargets._handed",
        "if self._is_stored(address):",
        "if address == 0:",
        KNOWN,
    ),
    Mutant(
        "bounds of stacks",
        "a level of a recursion is lost",
        "lab/heapscope/answers/stacks/unrolled.py::unroll",
        "for level in range(1, times + 1):",
        "for level in range(1, times):",
        KNOWN,
    ),
    Mutant(
        "bounds of stacks",
        "the ROM calls the program from the depth of the caller",
        "lab/heapscope/answers/stacks/call_graph.py::CallGraph._add_target",
        "depth + below",
        "depth",
        KNOWN,
    ),
    Mutant(
        "bounds of stacks",
        "every Cortex-M counts without its FPU",
        "lab/heapscope/memory/stacks/interrupt_port.py::port_of",
        "_CORTEX_M_FPU if fpu else _CORTEX_M",
        "_CORTEX_M",
        ANSWER,
    ),
)
