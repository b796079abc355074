"""How a program ended: panics, stacks, the power, watchdogs; and what a build prints."""

from __future__ import annotations

from dataclasses import dataclass, field

from heapscope.native.log import Fact

_KEPT = 64
_CLOSE = 200  # lines behind the head of a panic that may still be its own
_NULL = 0x1000  # an address below is that of a NULL pointer's member
#: Resets that a watchdog made, and those of the supply, by parts of their names.
_DOGS = ("TG0WDT_SYS", "TG1WDT_SYS", "TGWDT", "TASK_WDT", "INT_WDT")


@dataclass(kw_only=True)
class Panic:
    """One panic with the lines that belong to it. None or empty: not told."""

    line: int
    name: str
    text: str
    quote: str
    code: int | None = None
    task: str = ""
    pc: int | None = None
    address: int | None = None  # that was accessed
    caller: int | None = None  # the return address
    backtrace: list[int] = field(default_factory=list)
    names: dict[int, tuple[str, str]] = field(default_factory=dict)  # of code: function, place

    @property
    def code_addresses(self) -> list[int]:
        """Where it happened first. A backtrace is short of the program counter by up to 3 bytes."""
        first = [one for one in (self.pc, self.caller) if one is not None]
        return self.backtrace or first

    @property
    def null(self) -> bool:
        return self.address is not None and self.address < _NULL


@dataclass(kw_only=True)
class LoggedStops:
    """Takes the facts in order."""

    panics: list[Panic] = field(default_factory=list)
    stacks: list[Fact] = field(default_factory=list)
    brownouts: list[Fact] = field(default_factory=list)
    watchdogs: list[Fact] = field(default_factory=list)
    dog_tasks: list[Fact] = field(default_factory=list)
    builds: list[Fact] = field(default_factory=list)
    _open: Panic | None = None

    KINDS = (
        "panic", "register", "ran", "backtrace", "frame", "core_dump", "stack", "brownout",
        "watchdog", "build", "reset", "corrupt",
    )  # fmt: skip

    def take(self, fact: Fact) -> None:
        getattr(self, f"_{fact.kind}")(fact)

    def _near(self, fact: Fact) -> Panic | None:
        panic = self._open
        return panic if panic is not None and fact.line - panic.line <= _CLOSE else None

    def _begin(self, fact: Fact) -> Panic:
        self._open = Panic(
            line=fact.line,
            name=fact.name,
            text=fact.text,
            quote=fact.quote,
            code=fact.code,
            address=fact.address if fact.text == "Rust" else None,
        )
        return self._open

    def _panic(self, fact: Fact) -> None:
        panic = self._near(fact)
        if panic is not None and fact.name in ("abort", "panic") and not panic.backtrace:
            panic.pc = panic.pc or fact.address  # an assertion aborts
            return
        if panic is not None and panic.text == fact.text == "Zephyr":
            panic.name = fact.name  # the fault's head, then its number
            return
        panic = self._begin(fact)
        panic.pc = fact.address if fact.name == "abort" else None
        if len(self.panics) < _KEPT:
            self.panics.append(panic)

    def _corrupt(self, fact: Fact) -> None:
        """A backtrace that follows is that of the damage."""
        if fact.address is None:
            self._begin(fact)

    @property
    def any(self) -> bool:
        """Something ended or troubled the program, or it was not built."""
        return bool(self.panics or self.stacks or self.brownouts or self.watchdogs or self.builds)

    @property
    def damage(self) -> Panic | None:
        """The last assertion of the allocator, if nothing else ended the program behind it."""
        return self._open

    def _register(self, fact: Fact) -> None:
        panic = self._near(fact)
        if panic is None:
            return
        if fact.name == "PC":
            panic.pc, panic.caller = fact.address, fact.size
        elif panic.address is None:
            panic.address = fact.address

    def _ran(self, fact: Fact) -> None:
        panic = self._near(fact)
        if panic is not None:
            panic.task = fact.name

    def _backtrace(self, fact: Fact) -> None:
        panic = self._near(fact)
        if panic is not None and not panic.backtrace:
            panic.backtrace = [int(one, 16) for one in fact.name.split()]

    def _frame(self, fact: Fact) -> None:
        panic = self._near(fact)
        if panic is not None and fact.address is not None and len(panic.names) < _KEPT:
            panic.names.setdefault(fact.address, (fact.name, fact.text))

    def _core_dump(self, fact: Fact) -> None:
        panic = self._near(fact)
        if panic is not None and fact.name:
            panic.task = fact.name

    def _keep(self, facts: list[Fact], fact: Fact) -> None:
        if len(facts) < _KEPT:
            facts.append(fact)

    def _stack(self, fact: Fact) -> None:
        panic = self._near(fact)
        if fact.text == "guard" and fact.name and panic is not None:
            panic.task = fact.name
            if "stack" not in panic.name.lower():
                return  # the task of another panic
        if not fact.name and panic is not None and panic.task:
            panic.name, panic.text = "stack overflow", fact.text  # its cause, by a later line
            return
        self._keep(self.stacks, fact)

    def _brownout(self, fact: Fact) -> None:
        self._keep(self.brownouts, fact)

    def _watchdog(self, fact: Fact) -> None:
        self._keep(self.watchdogs if fact.text == "task" else self.dog_tasks, fact)

    def _build(self, fact: Fact) -> None:
        self._keep(self.builds, fact)

    def _reset(self, fact: Fact) -> None:
        self._open = None
        if "BROWN" in fact.name.upper():
            self._keep(self.brownouts, fact)
        elif any(dog in fact.name.upper() for dog in _DOGS):
            self._keep(self.watchdogs, fact)
