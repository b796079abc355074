"""A command line that was parsed: the verb's function, with what is given to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from heapscope.cli.progress import progress_bar
from heapscope.cli.sides import Sides
from heapscope.cli.taken import Taken
from heapscope.memory.options import given, named_files


class Call:
    """`given`: the parameters that the command line gives, without the options of the memory, which
    are in `memory`. Where the function takes several memories, that has a list for each option, and
    the command sets `sides`."""

    def __init__(
        self, function: Callable[..., Any], taken: Sequence[Taken], values: Mapping[str, Any]
    ) -> None:
        self._function = function
        self._taken = [one for one in taken if values[one.name] not in (None, [])]
        self.given = {one.name: values[one.name] for one in self._taken if not one.memory}
        self.memory = {one.name: values[one.name] for one in self._taken if one.memory}
        self.sides: Sides | None = None

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a parameter that may not be given."""
        return self.given.get(name, default)

    def answer(self, function: Callable[..., Any] | None = None, **more: Any) -> Any:
        """The function's answer, or that of another one to the same. `more`: parameters that the
        command sets by itself."""
        called = function or self._function
        shared, sides = self.sides or (self.memory, None)
        keywords = {**shared, **self.given, **more}
        if sides is not None:
            keywords["sides"] = sides
        arguments = next((keywords.pop(one.name) for one in self._taken if one.many), ())
        if "progress" in keywords or "progress" not in signature(called).parameters:
            return called(*arguments, **keywords)
        with progress_bar() as progress:
            return called(*arguments, progress=progress, **keywords)

    @property
    def inputs(self) -> list[Path]:
        """The files that are read, whose place no output takes."""
        shared, sides = self.sides or (given(self.memory), [])
        return [*self._named(), *named_files(shared, *sides)]

    def give(
        self,
        json: Path | None,
        answer: Any = None,
        *,
        brief: Path | None = None,
        every_row: bool = False,
        beside: Sequence[Path] = (),
    ) -> None:
        """Writes the answer as JSON where that is wanted, and prints it where it is not. `beside`:
        more files that are read. `every_row`: of tables that show the first ones alone."""
        from heapscope.cli.answer import give

        result = self.answer() if answer is None else answer
        give(result, json, brief, every_row=every_row, inputs=[*self.inputs, *beside])

    def _named(self) -> Iterator[Path]:
        for one in self._taken:
            if one.memory or one.option.writes:
                continue
            value = self.given[one.name]
            for each in value if isinstance(value, list) else [value]:
                if one.option.reads is not None:
                    yield from one.option.reads(each)
                elif isinstance(each, Path):
                    yield each
