"""One choice of a plan with its values: a list, or sizes in equal steps that are never listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

LEAST = "least"  # of a pool: the smallest that serves the trace is searched for


@dataclass(frozen=True)
class Steps(Sequence[str]):
    """Numbers of bytes from `first` on, as texts."""

    first: int
    step: int
    length: int

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...

    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(self.length))]
        if not -self.length <= index < self.length:
            raise IndexError(index)
        return str(self.first + self.step * (index % self.length))

    def __contains__(self, value: object) -> bool:
        if not (isinstance(value, str) and value.isascii() and value.isdigit()):
            return False
        past, rest = divmod(int(value) - self.first, self.step)
        return rest == 0 and 0 <= past < self.length


@dataclass(frozen=True)
class Axis:
    """`name`: an option of the memory to replay on (heapscope.memory.options). An empty value: the
    option is not given."""

    name: str
    values: Sequence[str]

    def meets(self, other: Axis) -> bool:
        """Whether a value of one is a value of the other."""
        few, many = sorted((self.values, other.values), key=len)
        known = many if isinstance(many, Steps) else frozenset(many)
        return any(value in known for value in few)

    def samples(self) -> Iterator[str]:
        """All values of a list; of steps the ends."""
        if isinstance(self.values, Steps):
            yield from dict.fromkeys((self.values[0], self.values[-1]))
        else:
            yield from self.values

    def to_json(self) -> object:
        if isinstance(self.values, Steps):
            return [self.values.first, self.values.step, self.values.length]
        return list(self.values)

    @classmethod
    def from_json(cls, name: str, values: list[int | str]) -> Axis:
        numbers = [value for value in values if isinstance(value, int)]
        if numbers:
            first, step, length = numbers
            return cls(name, Steps(first, step, length))
        return cls(name, tuple(map(str, values)))
