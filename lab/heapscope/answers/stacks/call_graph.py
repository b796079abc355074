"""The frames of a program and who calls whom, with what of it is not known."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from heapscope.answers.stacks import stack_hole as hole
from heapscope.answers.stacks.call_edge import CallEdge
from heapscope.answers.stacks.known_targets import KnownTargets
from heapscope.answers.stacks.stack_hole import StackHole
from heapscope.answers.stacks.unrolled import unroll
from heapscope.memory.stacks.assembler_code import assembler_functions, is_plain
from heapscope.memory.stacks.code_elf import CodeElf
from heapscope.memory.stacks.known_calls import KnownCalls, sdk_calls
from heapscope.memory.stacks.rom_stacks import GIVEN, HOOKS, RomStack, rom_stacks
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


class CallGraph:
    """Functions stand by their numbers in `code`, and copies of a recursion behind them. `names`;
    `frames`: bytes; `edges`, `holes`: of each. `known`: beside the calls of the SDK."""

    def __init__(
        self,
        code: CodeElf,
        *,
        known: KnownCalls | None = None,
        usages: Mapping[str, StackUsage] | None = None,
    ) -> None:
        self.code = code
        self.names = list(code.names)
        self.known = (known or KnownCalls()).over(sdk_calls())
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
        self._given = {
            number + at: word for number, name in GIVEN.items() for at, word in code.words_of(name)
        }
        self._assembler = assembler_functions(code)
        self._targets = KnownTargets(code, self.known, self.calls)
        self._hooked = self._is_hooked()
        self._add_frames(usages or {})
        self._add_calls()
        self._unroll()

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
            if is_plain(name):
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
                continue
            self.indirect += 1
            targets = self._indirect(caller, known, origin)
            if targets is None:
                self._add_indirect(caller, site, known, origin)
            for address in targets or ():
                self._add_target(caller, site, address, depth, bool(tail))

    def _add_direct(self, caller: int, site: int, target: int, depth: int, tail: bool) -> None:
        is_inside = self.function_at(target) is not None
        # 0: a weak function that is not in the program; the caller checks that
        self.followed += is_inside or target == 0
        self.outside += not is_inside and target in self.code.outside
        if target:
            self._add_target(caller, site, target, depth, tail)

    def _add_target(self, caller: int, site: int, target: int, depth: int, tail: bool) -> None:
        callee = self.function_at(target)
        if callee is not None:
            if callee != self._assembler.get(caller):  # else, it is more of the caller's own code
                self.edges[caller].append(CallEdge(depth, callee, tail))
            return
        name = self.code.outside.get(target, f"{target:#010x}")
        rom = self._in_rom(target, name)
        size = self.known.bytes.get(name, None if rom is None else rom.bytes)
        if size is None:
            site_hole = StackHole(
                kind=hole.OUTSIDE, function=self.code.names[caller], site=site, detail=name
            )
            self.holes[caller].append(site_hole)
            return
        self.frames[caller] = max(self.frames[caller], depth + size)
        if rom is not None and name not in self.known.bytes:
            for at, below in rom.given:
                self._add_target(caller, site, self._given[at], depth + below, False)

    def _is_hooked(self) -> bool:
        """Whether the ROM may call code of the program that is in no table."""
        addresses = self._targets.addresses(HOOKS)
        return addresses is None or any(self.function_at(one) is not None for one in addresses)

    def _in_rom(self, address: int, name: str) -> RomStack | None:
        """None: its bytes are not known."""
        stack = rom_stacks().get((address, name))
        if stack is None or (stack.hooks and self._hooked):
            return None
        return stack if all(at in self._given for at, _ in stack.given) else None

    def _indirect(self, caller: int, known: int, origin: int) -> Iterable[int] | None:
        """Where an indirect call leads, as addresses; None: unknown."""
        if caller in self._assembler:  # into itself
            return ()
        targets = self._targets.of(caller, origin if known == native.FIELD else None)
        if targets is not None:
            return targets
        if known != native.TABLE or not self.code.constant_at(origin):
            return None
        rows = self._in_table(origin)
        return None if rows is None else [self._starts[number] for number in rows]

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

    def _unroll(self) -> None:
        """Recursions that are known to have an end."""
        for name, times in self.known.times.items():
            number = self.code.aliases.get(name)
            copies = None if number is None else unroll(self.edges, number, times)
            for member in copies or ():
                self.names.append(self.names[member])
                self.frames.append(self.frames[member])
                self.holes.append(self.holes[member])
                if member in self.given:
                    self.given[len(self.names) - 1] = self.given[member]
