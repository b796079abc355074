"""The name of each block of an image, and where the words that point at it lie."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from heapscope.answers.image.heap import ImageBlock, ImageHeap
from heapscope.answers.image.reach import PointerWord, Reached, pointing_into, reach_of
from heapscope.answers.image.shapes import BEGINS, Shape, shape_of
from heapscope.answers.image.tasks import Task
from heapscope.answers.image.typed import Content, Typed, typed_blocks
from heapscope.answers.image.vtables import class_at
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.types import Types, Variable

_TCB = ("tskTaskControlBlock", "tskTCB")


@dataclass(frozen=True)
class Named:
    """`name`: what the block is, "" where nothing tells; `path`: how the program reaches it;
    `owner`: the task that allocated it; `reached`: None where the image has too little to tell;
    `found_in`: where the words of `reached` lie."""

    name: str = ""
    path: str = ""
    owner: str = ""
    reached: Reached | None = None
    found_in: tuple[str, ...] = ()


@dataclass
class Naming:
    """The names in one image. `waiting`: the tasks that surely do not run; `types`: those of the
    build, None where they are not known; `stopped`: stack pointers of tasks, by what they are
    called."""

    image: MemoryImage
    heaps: Sequence[ImageHeap]
    tasks: Sequence[Task]
    waiting: Sequence[Task]
    types: Types | None = None
    stopped: Mapping[str, int] = field(default_factory=dict)
    _used: list[ImageBlock] = field(init=False)
    _starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._used = sorted(block for heap in self.heaps for block in heap.blocks if block.used)
        self._starts = [block.address for block in self._used]

    def names(self, *, scanned: bool) -> dict[int, Named]:
        """Each used block, by its address. `scanned`: the image has all that may point at
        one."""
        shapes = {
            block.address: shape
            for block in self._used
            if (shape := shape_of(self.image, _content(block), self.tasks)) is not None
        }
        shapes |= self._stacks()
        classes = {
            block.address: name
            for block in self._used
            if (name := class_at(self.image, block.given))
        }
        typed = self._typed(shapes, classes)
        reached = reach_of(self.image, self.heaps, self.waiting) if scanned else {}
        result = {}
        for block in self._used:
            known = typed.get(block.address)
            name = classes.get(block.address, "")
            one = self._one(shapes.get(block.address), name, known)
            one = self._by_root(one, reached.get(block.address))
            owner = next((task.name for task in self.tasks if task.tcb == block.owner), "")
            result[block.address] = replace(one, owner=owner, reached=reached.get(block.address))
        return {
            address: replace(
                one, found_in=tuple(self._where(word, result) for word in _words(one.reached))
            )
            for address, one in result.items()
        }

    def _stacks(self) -> Iterator[tuple[int, Shape]]:
        """The stacks of tasks without a control block of FreeRTOS."""
        for name, pointer in self.stopped.items() if not self.tasks else ():
            content = self._content_at(pointer)
            if content is not None and pointer > content.start:
                known = "a task" if name.isdigit() else f"the task {name}"
                yield content.block, Shape(f"stack of {known}")

    def _one(self, shape: Shape | None, class_name: str, typed: Typed | None) -> Named:
        if shape is not None and not shape.doubtful:
            return Named(shape.name, typed.path if typed else "")
        if class_name:
            return Named(class_name, typed.path if typed else "")
        if typed is not None and typed.type:
            return Named(typed.name, typed.path)
        if typed is not None:
            held = f"{typed.path}: {shape.name}" if shape else typed.path
            return Named(held, typed.path)
        return Named() if shape is None else Named(shape.name)

    def _by_root(self, named: Named, reached: Reached | None) -> Named:
        """A block that nothing else names is part of what the variable holds from which the program
        reaches it."""
        if named.path or reached is None or not reached.root:
            return named
        root = self._place(reached.root)
        doubtful = named.name.startswith(BEGINS)
        if not root or (named.name and not doubtful):
            return replace(named, path=root)
        holder = root.partition("+")[0]
        text = f": {named.name}" if doubtful else ""
        return replace(named, name=f"held by {holder}{text}", path=root)

    def _place(self, address: int) -> str:
        """The variable or the stack that an address outside the heaps lies in; "": not known."""
        task = next((task for task in self.tasks if task.low <= address < task.high), None)
        if task is not None:
            return f"the stack of {task.name}"
        symbol = self.image.symbols.at(address) if self.image.symbols else None
        if symbol is None:
            return ""
        offset = address - symbol.address
        return f"{symbol.name}+{offset}" if offset else symbol.name

    def _typed(self, shapes: dict[int, Shape], classes: dict[int, str]) -> dict[int, Typed]:
        types = self.types or Types({}, ())
        held = (one for shape in shapes.values() for one in shape.holds)
        objects = self._objects(types, classes)
        variables = (*types.variables, *self._task_variables(types), *objects)
        return typed_blocks(self.image, types, variables, self._content_at, held=held)

    def _task_variables(self, types: Types) -> Iterator[Variable]:
        """The control blocks, where the debug information knows what they are."""
        number = next((one for name in _TCB if (one := types.structure(name))), 0)
        if number:
            for task in self.tasks:
                yield Variable(f"task {task.name}", task.tcb, number)

    def _objects(self, types: Types, classes: dict[int, str]) -> Iterator[Variable]:
        """The objects of C++ whose class the debug information knows by its name and size."""
        for block in self._used:
            name = classes.get(block.address, "")
            number = types.structure(name.rpartition("::")[2]) if name else 0
            if number and types.size(number) <= _content(block).size:
                yield Variable(f"({name} at {block.given:#010x})", block.given, number)

    def _content_at(self, address: int) -> Content | None:
        """The used block that the address lies in or right behind."""
        index = bisect_right(self._starts, address) - 1
        if index < 0 or address > self._used[index].end:
            return None
        return _content(self._used[index])

    def pointing_at(self, address: int, names: dict[int, Named]) -> tuple[str, ...]:
        """Where the program still keeps an address of the free block at this one."""
        blocks = (block for heap in self.heaps for block in heap.blocks)
        free = next((one for one in blocks if one.address == address and not one.used), None)
        if free is None:
            return ()
        words = pointing_into(self.image, self.heaps, self.waiting, free)
        return tuple(self._where(word, names) for word in words)

    def _where(self, word: PointerWord, names: dict[int, Named]) -> str:
        inside = f", {word.doubt}" if word.doubt else ""
        if word.holder >= 0:
            block = self._used[word.holder]
            name = names[block.address].name or "block"
            return f"{name} at {block.given:#010x}, offset {word.address - block.given}{inside}"
        place = self._place(word.address)
        return f"{place or f'{word.address:#010x}'}{inside}"


def _words(reached: Reached | None) -> Iterable[PointerWord]:
    return () if reached is None else reached.words


def _content(block: ImageBlock) -> Content:
    left = block.end - block.given
    size = left if block.requested is None else min(block.requested, left)
    return Content(block.address, block.given, size)
