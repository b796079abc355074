"""The value of every option, for the values that a user gave: as the release's program works it
out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from heapscope.config.kconfig.condition import Condition, parse_condition, unquoted
from heapscope.config.kconfig.table import OptionTable, Symbol

_BASES: dict[str | None, int] = {"int": 10, "hex": 16, "string": 0, None: 0}
_YES, _NO = "y", "n"
#: Options that wait for each other's values at once. ESP-IDF's chains have up to 60; more of them
#: are a loop or the work of an enemy, and count as not set.
_WAITING_MAX = 100

_COMPARED: Mapping[str, Callable[[float], bool]] = {
    "=": lambda order: order == 0,
    "!=": lambda order: order != 0,
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


@dataclass(frozen=True, kw_only=True)
class UserValues:
    """`values`: the text that each option was given, y or n for a bool. `picked`: by choice, its
    last member that was given y. `marked`: values that stand below a mark "# default:"; they take
    the place of Kconfig's defaults."""

    values: Mapping[str, str] = field(default_factory=dict)
    picked: Mapping[str, str] = field(default_factory=dict)
    marked: Mapping[str, str] = field(default_factory=dict)


class OptionValues:
    """Values are worked out when they are asked for, and kept."""

    def __init__(self, table: OptionTable, user: UserValues) -> None:
        self.table = table
        self.user = user
        self._texts: dict[str, str] = {}
        self._prompts: dict[str, bool] = {}
        self._held: dict[str, bool] = {}
        self._selections: dict[str, str | None] = {}
        self._waiting: set[str] = set()

    def text(self, name: str) -> str:
        """ "y" or "n" of a bool; "" of a number without any default. KeyError: no such option."""
        result = self._texts.get(name)
        if result is None:
            symbol = self.table.symbols[name]
            if name in self._waiting or len(self._waiting) > _WAITING_MAX:
                return _NO if symbol.kind == "bool" else ""
            self._waiting.add(name)
            result = self._texts[name] = self._text(name, symbol)
            self._waiting.discard(name)
        return result

    def can_set(self, name: str) -> bool:
        """A user's value counts: the option has a prompt, and its condition holds."""
        result = self._prompts.get(name)
        if result is None:
            symbol = self.table.symbols.get(name)
            result = symbol is not None and symbol.prompt is not None and self.holds(symbol.prompt)
            self._prompts[name] = result
        return result

    def holds(self, condition: str) -> bool:
        result = self._held.get(condition)
        if result is None:
            result = self._held[condition] = self.truth(parse_condition(condition))
        return result

    def truth(self, condition: Condition) -> bool:
        kind = condition[0]
        if kind == "is":
            return self._is(condition[1])
        if kind == "and":
            return all(map(self.truth, condition[1]))
        if kind == "or":
            return any(map(self.truth, condition[1]))
        if kind == "not":
            return not self.truth(condition[1])
        return self._compare(*condition)

    def failing(self, condition: Condition) -> Iterator[Condition]:
        """The parts of a condition that do not hold."""
        parts = condition[1] if condition[0] == "and" else (condition,)
        return (part for part in parts if not self.truth(part))

    def selection(self, choice: str) -> str | None:
        """The member that is y; None: the choice cannot be made."""
        if choice not in self._selections:
            self._selections[choice] = self._selection(choice)
        return self._selections[choice]

    def selectors(self, name: str) -> tuple[str, ...]:
        """The options that force a bool to y."""
        return tuple(self._active(self.table.selected.get(name, ())))

    def range_of(self, name: str) -> tuple[int, int] | None:
        """The first range whose condition holds; None: none."""
        symbol = self.table.symbols[name]
        for low, high, condition in symbol.ranges:
            if self.holds(condition):
                base = _BASES[symbol.kind]
                return _number_or_0(self._side(low)[1], base), _number_or_0(
                    self._side(high)[1], base
                )
        return None

    def in_range(self, name: str, text: str) -> bool:
        """`text`: a number that the option's kind can be."""
        bounds = self.range_of(name)
        number = int(text, _BASES[self.table.symbols[name].kind])
        return bounds is None or bounds[0] <= number <= bounds[1]

    def default(self, name: str) -> str:
        """The text of the first default that holds; "" or "n": none does."""
        symbol = self.table.symbols[name]
        if symbol.kind == "bool":
            held = (value for value, condition in symbol.defaults if self.holds(condition))
            return _YES if self.holds(next(held, _NO)) else _NO
        return self._default(symbol.defaults)

    # ---- one kind each ---------------------------------------------------------------------------

    def _text(self, name: str, symbol: Symbol) -> str:
        if symbol.kind == "bool":
            return _YES if self._bool(name, symbol) else _NO
        given = self._given(name)
        if symbol.kind == "string":
            return self._default(symbol.defaults) if given is None else given
        if given is not None and self.in_range(name, given):
            return given
        base, bounds = _BASES[symbol.kind], self.range_of(name)
        text = self._default(symbol.defaults)
        number = _number_or_0(text, base)
        if bounds is None or bounds[0] <= number <= bounds[1]:
            return text
        nearest = bounds[0] if number < bounds[0] else bounds[1]
        return str(nearest) if base == 10 else hex(nearest)

    def _bool(self, name: str, symbol: Symbol) -> bool:
        if symbol.choice:
            return self.can_set(name) and self.selection(symbol.choice) == name
        given = self._given(name)
        if given is not None:
            value = given == _YES
        else:
            value = self.default(name) == _YES
            if not value and next(self._active(self.table.implied.get(name, ())), None):
                value = self.holds(symbol.depends)
        return value or next(self._active(self.table.selected.get(name, ())), None) is not None

    def _given(self, name: str) -> str | None:
        """The value that a user or a mark gives to an option, where that counts."""
        values, marked = self.user.values, self.user.marked
        if name not in values and name not in marked:
            return None
        return values.get(name, marked.get(name)) if self.can_set(name) else None

    def _active(self, by: Iterable[tuple[str, str]]) -> Iterator[str]:
        return (name for name, condition in by if self.text(name) == _YES and self.holds(condition))

    def _default(self, defaults: Iterable[tuple[str, str]]) -> str:
        for value, condition in defaults:
            if self.holds(condition):
                return self._side(value)[1]
        return ""

    def _selection(self, choice: str) -> str | None:
        built = self.table.choices[choice]
        if not self.holds(built.prompt):
            return None
        picked = self.user.picked.get(choice)
        wanted = chain(
            [] if picked is None else [picked],
            (member for member, condition in built.defaults if self.holds(condition)),
            built.members,
        )
        return next(filter(self.can_set, wanted), None)

    # ---- conditions ------------------------------------------------------------------------------

    def _is(self, atom: str) -> bool:
        if atom in (_YES, _NO):
            return atom == _YES
        if atom[0] == "@":
            choice = self.table.choices.get(atom[1:])
            return choice is not None and self.holds(choice.prompt)
        symbol = self.table.symbols.get(atom)
        return symbol is not None and symbol.kind == "bool" and self.text(atom) == _YES

    def _side(self, atom: str) -> tuple[str | None, str]:
        """The kind and the text of an atom; None: it is a constant, or no option."""
        if atom in (_YES, _NO):
            return "bool", atom
        if atom[:1] == '"':
            return None, unquoted(atom[1:-1])
        symbol = self.table.symbols.get(atom)
        return (None, atom) if symbol is None else (symbol.kind, self.text(atom))

    def _compare(self, sign: str, left: str, right: str) -> bool:
        """Numbers go by value; letters decide where a side lacks one or both are strings."""
        (kind, text), (other_kind, other) = self._side(left), self._side(right)
        order: float = (text > other) - (text < other)
        if kind != "string" or other_kind != "string":
            one, two = self._number(kind, text), self._number(other_kind, other)
            if one is not None and two is not None:
                order = one - two
        return _COMPARED[sign](order)

    def _number(self, kind: str | None, text: str) -> float | None:
        habits = self.table.habits
        if kind == "bool":
            return (2 if text == _YES else 0) if habits.bool_numbers else None
        try:
            return int(text, _BASES[kind])
        except ValueError:
            pass
        if not habits.floats:
            return None
        try:
            return float(text)
        except ValueError:
            return None


def is_number(text: str, kind: str) -> bool:
    """The text is a value of an int or a hex option. A hex one has no sign of minus."""
    try:
        return int(text, _BASES[kind]) >= 0 or kind == "int"
    except ValueError:
        return False


def _number_or_0(text: str, base: int) -> int:
    try:
        return int(text, base)
    except ValueError:
        return 0
