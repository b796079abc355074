"""The functions that known calls lead to, as addresses of one program."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from heapscope.memory.stacks.code_elf import CodeElf
from heapscope.memory.stacks.known_calls import CallTargets, HandedOver, KnownCalls
from heapscope.native.frames import NUMBER
from heapscope.native.structs import Rows


class KnownTargets:
    """`calls`: all of the program."""

    def __init__(self, code: CodeElf, known: KnownCalls, calls: Rows) -> None:
        self._code, self._calls = code, calls
        self._mask = ~1 if code.machine == "thumb" else ~0
        self._starts = {function.start for function in code.functions}
        self._outside = {name: address for address, name in code.outside.items()}
        self._object_starts = [one.start for one in code.objects]
        self._of = {
            code.aliases[name]: targets
            for name, targets in known.calls.items()
            if name in code.aliases
        }

    def of(self, caller: int, offset: int | None) -> tuple[int, ...] | None:
        """`offset`: where in a struct the call reads its target, if that is known. None:
        not all of them are known, or the program has none of those that are listed."""
        targets = self._of.get(caller)
        return None if targets is None else self.addresses(targets, offset)

    def addresses(self, targets: CallTargets, offset: int | None = None) -> tuple[int, ...] | None:
        """The same for a line."""
        if any(name in self._code.aliases for name in targets.unless):
            return None
        found = {address for name in targets.functions if (address := self._address(name))}
        is_here = bool(found)
        for name, of in targets.objects:
            starts = [one.start for one in self._code.objects if one.name == name]
            is_here |= bool(starts)
            found.update(*(self._in_object(start, of, offset) for start in starts))
        within = {*targets.by, *(one.function for one in targets.handed)}
        for handed in targets.handed:
            addresses = self._handed(handed, within, offset)
            if addresses is None:
                return None
            found |= addresses
        is_listed = bool(targets.functions or targets.objects) and not targets.handed
        return None if is_listed and not is_here else tuple(sorted(found))

    def _address(self, name: str) -> int | None:
        """None: it is not in the program."""
        number = self._code.aliases.get(name)
        return self._outside.get(name) if number is None else self._code.functions[number].start

    def _handed(self, handed: HandedOver, within: set[str], offset: int | None) -> set[int] | None:
        """None: one of them is not a constant, or its function may be called without its name."""
        address = self._address(handed.function)
        if address is None:
            return set()
        if self._is_stored(address):
            return None
        found: set[int] = set()
        for call in self._calls[self._calls["target"] == address]:
            value = int(call["argument"][handed.argument])
            if int(call["argument_known"][handed.argument]) == NUMBER:
                found |= (
                    self._in_object(value, handed.of, offset)
                    if handed.of
                    else self._function(value)
                )
            elif self._code.names[int(call["function"])] not in within:
                return None
        return found

    def _function(self, value: int) -> set[int]:
        start = value & self._mask
        return {start} if start in self._starts or start in self._code.outside else set()

    def _is_stored(self, address: int) -> bool:
        """Whether data have the address, so that a call of it may be one of another's pointer."""
        word = (address | (self._mask & 1 ^ 1)).to_bytes(4, "little")
        return any(
            at % 4 == 0
            for part in self._code.parts
            if not self._has_code(part.address, part.end)
            for at in _positions(part.data, word)
        )

    def _has_code(self, start: int, end: int) -> bool:
        return any(start <= one < end for one in self._starts)

    def _in_object(
        self, address: int, of: str, offset: int | None, *, deeper: bool = True
    ) -> set[int]:
        """The functions in the object there, and in those to which it points; of each the one at
        the offset where only that counts and it is known."""
        index = bisect_right(self._object_starts, address) - 1
        if index < 0 or address >= self._code.objects[index].end:
            return set()
        found: set[int] = set()
        data = self._code.bytes_at(address, self._code.objects[index].end - address)
        for at in range(0, len(data) - 3, 4):
            word = int.from_bytes(data[at : at + 4], "little")
            own = self._function(word)
            if of == "*" or offset in (None, at):
                found |= own
            if deeper and not own:
                found |= self._in_object(word, of, offset, deeper=False)
        return found


def _positions(data: bytes, word: bytes) -> Iterator[int]:
    at = data.find(word)
    while at >= 0:
        yield at
        at = data.find(word, at + 1)
