"""The frames of a program and who calls whom, with what of it is not known."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from heapscope.answers.stacks import stack_hole as hole
from heapscope.answers.stacks.stack_hole import StackHole
from heapscope.memory.stacks.code_elf import CodeElf
from heapscope.memory.stacks.known_calls import KnownCalls
from heapscope.memory.stacks.stack_usage import StackUsage
from heapscope.native import frames as native
from heapscope.native.frames import CodeFrames, read_frames
from heapscope.native.structs import Rows

_BIAS = 256  # bytes by which the base of a table may lie before it
_SWITCHING = native.ELSEWHERE | native.GROWS
#: The program stops itself in them; what they call to report that does not count.
STOPS = frozenset(
    (
        *("abort", "exit", "_exit", "_Exit", "__assert_func", "__assert_fail", "__stack_chk_fail"),
        *("__cxa_pure_virtual", "esp_system_abort", "panic_abort", "esp_error_check_failed"),
        *("_esp_error_check_failed", "z_fatal_error", "k_sys_fatal_error_handler"),
    )
)


class CallEdge(NamedTuple):
    """`depth`: bytes of the caller's frame when control leaves; `callee`: a function's number."""

    depth: int
    callee: int
    tail: bool


class CallGraph:
    """Functions stand by their numbers in `code`. `frames`: bytes; `edges`, `holes`: of each."""

    def __init__(
        self,
        code: CodeElf,
        *,
        known: KnownCalls | None = None,
        usages: Mapping[str, StackUsage] | None = None,
    ) -> None:
        self.code = code
        self.known = known or KnownCalls()
        read: CodeFrames = read_frames(code.machine, code.parts, code.functions)
        self.calls: Rows = read.calls
        self.windowed = bool((read.frames["flags"] & native.WINDOW).any())
        self.frames: list[int] = read.frames["frame"].tolist()
        self.flags: list[int] = read.frames["flags"].tolist()
        self.edges: list[list[CallEdge]] = [[] for _ in code.functions]
        self.holes: list[list[StackHole]] = [[] for _ in code.functions]
        #: With all callees, as the user gives them.
        self.given = {
            code.aliases[name]: size
            for name, size in self.known.bytes.items()
            if name in code.aliases
        }
        self.direct = self.indirect = self.followed = self.outside = 0
        self._starts = [one.start for one in code.functions]
        self._object_starts = [one.start for one in code.objects]
        self._add_frames(usages or {})
        self._add_calls()

    def function_at(self, address: int) -> int | None:
        """The number of the function that has this address."""
        index = bisect_right(self._starts, address) - 1
        inside = index >= 0 and address < self.code.functions[index].end
        return index if inside else None

    def _add_frames(self, usages: Mapping[str, StackUsage]) -> None:
        for number, flags in enumerate(self.flags):
            name = self.code.names[number]
            usage = usages.get(name)
            if usage is not None and usage.bounded and flags & (native.DYNAMIC | native.UNREAD):
                self.frames[number] = max(self.frames[number], usage.bytes)
                continue
            kinds = (
                (native.DYNAMIC, hole.DYNAMIC),
                (_SWITCHING, hole.SWITCH),
                (native.UNREAD, hole.UNREAD),
            )
            for flag, kind in kinds:
                if flags & flag:
                    self.holes[number].append(StackHole(kind=kind, function=name))

    def _add_calls(self) -> None:
        rows = self.calls
        columns = ("function", "site", "kind", "tail", "target", "depth", "known", "from")
        for row in zip(*(rows[name].tolist() for name in columns), strict=True):
            caller, site, kind, tail, target, depth, known, origin = row
            if self.code.names[caller] in STOPS:
                continue
            if kind == 0:
                self.direct += 1
                self._add_direct(caller, site, target, depth, bool(tail))
            else:
                self.indirect += 1
                callees = self._callees(caller, known, origin)
                for callee in callees or ():
                    self.edges[caller].append(CallEdge(depth, callee, bool(tail)))
                if callees is None:
                    self._add_indirect(caller, site, known, origin)

    def _add_direct(self, caller: int, site: int, target: int, depth: int, tail: bool) -> None:
        if target == 0:  # a weak function that is not in the program; the caller checks that
            self.followed += 1
            return
        callee = self.function_at(target)
        if callee is not None:
            self.followed += 1
            self.edges[caller].append(CallEdge(depth, callee, tail))
            return
        name = self.code.outside.get(target, f"{target:#010x}")
        self.outside += target in self.code.outside
        if name not in self.known.bytes:
            self.holes[caller].append(
                StackHole(
                    kind=hole.OUTSIDE, function=self.code.names[caller], site=site, detail=name
                )
            )
        else:
            self.frames[caller] = max(self.frames[caller], depth + self.known.bytes[name])

    def _callees(self, caller: int, known: int, origin: int) -> list[int] | None:
        """Where an indirect call leads, by the user, or by a constant table; None: unknown."""
        given = self.known.calls.get(self.code.names[caller])
        if given is not None:
            return [self.code.aliases[name] for name in given if name in self.code.aliases]
        if known != native.TABLE or not self.code.constant_at(origin):
            return None
        return self._in_table(origin)

    def _in_table(self, origin: int) -> list[int] | None:
        """Every function of which the constant object at this address, from there on, has the
        address; None: of none. A compiler may count an index from another number than 0 and begin
        before the table, so that what follows within some bytes is taken too."""
        index = bisect_right(self._object_starts, origin) - 1
        if index < 0 or origin >= self.code.objects[index].end:
            return None
        size = self.code.objects[index].end - origin
        own = self._functions_in(self.code.bytes_at(origin, size))
        if not own:
            return None
        return list({*own, *self._functions_in(self.code.bytes_at(origin, _BIAS))})

    def _functions_in(self, data: bytes) -> list[int]:
        mask = ~1 if self.code.machine == "thumb" else ~0
        words = (int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data) - 3, 4))
        numbers = ((word & mask, self.function_at(word & mask)) for word in words)
        return [
            number
            for word, number in numbers
            if number is not None and self._starts[number] == word
        ]

    def _add_indirect(self, caller: int, site: int, known: int, origin: int) -> None:
        detail = ""
        if known in (native.LOADED, native.TABLE):
            detail = f"through {self._object_name(origin)}"
        elif known == native.FIELD:
            detail = f"through a pointer {origin:,} bytes behind an address"
        self.holes[caller].append(
            StackHole(
                kind=hole.INDIRECT, function=self.code.names[caller], site=site, detail=detail
            )
        )

    def _object_name(self, address: int) -> str:
        index = bisect_right(self._object_starts, address) - 1
        if index >= 0 and address < self.code.objects[index].end:
            return self.code.objects[index].name
        return f"{address:#010x}"
