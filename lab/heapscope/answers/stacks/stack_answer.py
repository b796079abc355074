"""How much of its stack each task of a firmware may use, out of its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heapscope.answers.stacks.call_graph import CallGraph
from heapscope.answers.stacks.created import CreatedTask, created_tasks
from heapscope.answers.stacks.stack_hole import StackHole
from heapscope.answers.stacks.worst_path import PathStep, WorstPaths
from heapscope.base.errors import InputError
from heapscope.memory.stacks.code_elf import read_code
from heapscope.memory.stacks.interrupt_port import WINDOW_SAVE, InterruptPort, port_of
from heapscope.memory.stacks.known_calls import KnownCalls
from heapscope.memory.stacks.stack_usage import read_usages
from heapscope.memory.stacks.task_creation import TaskCreator

_ALIGNED = 16  # a size of a stack is a multiple of it


@dataclass(frozen=True, kw_only=True)
class TaskStack:
    """`deepest`: bytes of the deepest way that is known, with what interrupts add; `bound`: the
    same where nothing of it is unknown, or None; `seen`: the most that was ever used, if known;
    `path`: the functions of the deepest way; `interrupt`: its bytes for an interrupt and the port.
    """

    name: str
    entry: str
    created_by: str
    size: int | None
    deepest: int
    bound: int | None
    seen: int | None
    interrupt: int
    path: tuple[PathStep, ...] = field(repr=False)
    holes: tuple[StackHole, ...] = field(repr=False)

    @property
    def back(self) -> int | None:
        """Bytes that the task surely never uses; below 0: the bound is above the size."""
        if self.size is None or self.bound is None:
            return None
        return self.size - -(-self.bound // _ALIGNED) * _ALIGNED

    @property
    def back_as_seen(self) -> int | None:
        """Bytes that no run used, which the next one may."""
        return None if self.size is None or self.seen is None else self.size - self.seen

    @property
    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "task": self.name,
            "entry": self.entry,
            "created_by": self.created_by,
            "size": self.size,
            "deepest": self.deepest,
            "bound": self.bound,
            "seen": self.seen,
            "interrupt": self.interrupt,
            "back": self.back,
            "back_as_seen": self.back_as_seen,
            "path": [{"function": step.function, "bytes": step.bytes} for step in self.path],
            "holes": [
                {"kind": one.kind, "function": one.function, "site": one.site, "detail": one.detail}
                for one in self.holes
            ],
        }


@dataclass(frozen=True, kw_only=True)
class StackAnswer:
    """`port`: None: what an interrupt takes is unknown, and not in any figure. `direct`: calls with
    one target, of which `followed` lead to code of the file and `outside` to what it has the name
    of alone; `indirect`: other calls."""

    file: str
    machine: str
    port: InterruptPort | None
    functions: int
    direct: int
    followed: int
    outside: int
    indirect: int
    tasks: tuple[TaskStack, ...]
    notes: tuple[str, ...] = ()

    @property
    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "file": self.file,
            "machine": self.machine,
            "port": None if self.port is None else self.port.name,
            "port_source": None if self.port is None else self.port.source,
            "functions": self.functions,
            "calls": {
                "direct": self.direct,
                "followed": self.followed,
                "outside": self.outside,
                "indirect": self.indirect,
            },
            "tasks": [task.record for task in self.tasks],
            "notes": list(self.notes),
        }


def bound_stacks(
    path: str,
    *,
    known: KnownCalls | None = None,
    port: InterruptPort | None = None,
    creators: Sequence[TaskCreator] = (),
    entries: Mapping[str, int | None] | None = None,
    seen: Mapping[str, int] | None = None,
) -> StackAnswer:
    """The answer for the firmware whose ELF is at `path`. `known`: calls beside those of the SDK;
    `port`: None: by functions of the program; `entries`: functions that begin a task beside those
    that the code creates, with the size of its stack; `seen`: the most that a task ever used, by
    its name.
    InputError: a file cannot be read, or it has no function of an entry's name."""
    code = read_code(path)
    known = known or KnownCalls()
    graph = CallGraph(code, known=known, usages=read_usages(Path(path).parent))
    chosen = port or port_of(code)
    created = list(created_tasks(graph, creators=creators))
    for name, size in (entries or {}).items():
        if name not in code.aliases:
            raise InputError(
                f"{code.file}: no function {name} is in it", remedy="give a name of its symbols"
            )
        created.append(CreatedTask(entry=code.aliases[name], name=name, size=size, by=""))
    paths = WorstPaths(graph)
    reader = _Tasks(graph, paths, chosen, seen or {})
    notes = [f"{name}: no function of the program" for name in sorted(_unknown(known, graph))]
    if chosen is None:
        notes.append("what an interrupt puts on a task's stack is unknown, and not in the figures")
    return StackAnswer(
        file=code.file,
        machine=code.machine,
        port=chosen,
        functions=len(code.functions),
        direct=graph.direct,
        followed=graph.followed,
        outside=graph.outside,
        indirect=graph.indirect,
        tasks=tuple(reader.task(one) for one in created if one.entry is not None),
        notes=tuple(notes),
    )


def _unknown(known: KnownCalls, graph: CallGraph) -> set[str]:
    return known.names - set(graph.code.aliases) - set(graph.code.outside.values())


class _Tasks:
    """Makes the row of a task."""

    def __init__(
        self,
        graph: CallGraph,
        paths: WorstPaths,
        port: InterruptPort | None,
        seen: Mapping[str, int],
    ) -> None:
        self._graph, self._paths, self._port, self._seen = graph, paths, port, seen

    def task(self, created: CreatedTask) -> TaskStack:
        assert created.entry is not None
        way = self._paths.of(created.entry)
        added = self._added()
        deepest = way.bytes + added
        entry = self._graph.code.names[created.entry]
        return TaskStack(
            name=created.name or entry,
            entry=entry,
            created_by=created.by,
            size=created.size,
            deepest=deepest,
            bound=None if way.holes else deepest,
            seen=self._seen.get(created.name or entry),
            interrupt=added,
            path=way.steps,
            holes=way.holes,
        )

    def _added(self) -> int:
        """Bytes of a task's stack beside its functions."""
        added = WINDOW_SAVE if self._graph.windowed else 0
        if self._port is None:
            return added
        wrapper = self._graph.code.aliases.get(self._port.wrapper)
        frame = 0 if wrapper is None else self._graph.frames[wrapper]
        return added + self._port.frame + self._port.top + frame
