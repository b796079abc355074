"""The lines below an option, a menu or a choice of a Kconfig file."""

from __future__ import annotations

from collections.abc import Callable

from heapscope.config.kconfig.condition import Condition
from heapscope.config.kconfig.definitions import Block, Entry
from heapscope.config.kconfig.words import ALWAYS, Variables, Word, both, condition_of

_IF = Word("if", False)
_TYPES = {
    "bool": "bool", "boolean": "bool", "int": "int", "hex": "hex", "string": "string",
    "float": "float",
}  # fmt: skip
_OLD_TYPES = {"tristate": "bool"}  # not since 6.0
_WORDS = (
    "depends", "visible", "prompt", "default", "range", "select", "imply", "set", "option",
    "optional", "warning",
)  # fmt: skip


class OptionLines:
    """`set`: options that `set` gives a value."""

    def __init__(
        self,
        variables: Variables,
        *,
        new: bool,
        limited: Callable[[Condition], Condition],
        not_read: Callable[[str], None],
    ) -> None:
        self.set: set[str] = set()
        self._variables = variables
        self._types = _TYPES if new else _TYPES | _OLD_TYPES
        self._typed_defaults = () if new else tuple(f"def_{kind}" for kind in self._types)
        self._limited = limited
        self._not_read = not_read

    def know(self, word: str) -> bool:
        return word in _WORDS or word in self._types or word in self._typed_defaults

    def take(self, current: Entry | Block, word: str, words: list[Word]) -> None:
        """ValueError: the line says nothing that the program understands."""
        if word == "depends":
            self._on(current, words)
        elif word == "visible":
            if words[:1] != [_IF]:
                raise ValueError("visible needs if")
            condition = condition_of(words[1:])
            if isinstance(current, Block) and current.kind == "menu":
                current.shown = self._limited(both(current.shown, condition))
        elif isinstance(current, Block):
            self._of_choice(current, word, words)
        else:
            self._of_option(current, word, words)
            if self._variables.missing:
                current.unsure = True
                self._not_read(f"the value of {self._variables.missing[0]} is not known")

    def _on(self, current: Entry | Block, words: list[Word]) -> None:
        if words[:1] != [Word("on", False)]:
            raise ValueError("depends needs on")
        current.depends = self._limited(both(current.depends, condition_of(words[1:])))

    def check_of_menu(self, kind: str, word: str) -> None:
        """ValueError: the program has no such line below a menu or a comment."""
        if word not in ("depends", "visible", "default", "prompt", "range", "set", "warning"):
            raise ValueError(f"a {kind} has no {word}")

    def _of_choice(self, block: Block, word: str, words: list[Word]) -> None:
        if block.choice is None:
            self.check_of_menu("menu", word)
        elif word == "default":
            block.choice.defaults.append(self._default(words))
        elif word == "prompt" or word in self._types:
            if words:
                block.choice.prompt = self._prompt(words)
        elif word not in ("optional", "option", "range", "set", "warning"):
            raise ValueError(f"a choice has no {word}")

    def _of_option(self, entry: Entry, word: str, words: list[Word]) -> None:
        if word in self._types:
            entry.kind = self._types[word]
            if words:
                entry.prompt = self._prompt(words)
        elif word in self._typed_defaults:
            entry.kind = self._types[word[4:]]
            entry.defaults.append(self._default(words))
        elif word == "prompt":
            entry.prompt = self._prompt(words)
        elif word == "default":
            entry.defaults.append(self._default(words))
        elif word == "range":
            if len(words) < 2:
                raise ValueError("range needs two bounds")
            _, condition = self._with_condition(words[1:])
            if len(words) > 2 and words[2] != _IF:
                raise ValueError("range needs two bounds")
            entry.ranges.append((words[0], words[1], condition))
        elif word in ("select", "imply"):
            target, condition = self._with_condition(words)
            if len(target) != 1 or target[0].quoted or target[0].text in ("y", "n"):
                raise ValueError(f"{word} needs one option")
            (entry.selects if word == "select" else entry.implies).append(
                (target[0].text, condition)
            )
        elif word == "set":
            self.set.add(_set_option(words))
        elif word == "option":
            self._option(entry, words)
        elif word == "optional":
            raise ValueError("optional is for choices only")

    def _option(self, entry: Entry, words: list[Word]) -> None:
        texts = [word.text for word in words]
        if texts[:2] == ["env", "="] and len(words) == 3:
            value = self._variables.value(texts[2])
            if value is None:
                entry.unsure = True
                self._not_read(f"the value of the variable {texts[2]} is not known")
            else:
                entry.defaults.append(([Word(value, True)], ALWAYS))
        elif texts not in (["defconfig_list"], ["allnoconfig_y"], ["modules"]):
            raise ValueError('option needs env="NAME"')

    def _prompt(self, words: list[Word]) -> Condition:
        title, condition = self._with_condition(words)
        if len(title) != 1:
            raise ValueError("a prompt is one text, in quotes")
        return condition

    def _default(self, words: list[Word]) -> tuple[list[Word], Condition]:
        value, condition = self._with_condition(words)
        condition_of(value)
        return value, condition

    def _with_condition(self, words: list[Word]) -> tuple[list[Word], Condition]:
        """The words before `if`, and the condition behind it."""
        at = words.index(_IF) if _IF in words else len(words)
        if at == 0:
            raise ValueError("a value is missing")
        condition = condition_of(words[at + 1 :]) if at < len(words) else ALWAYS
        return words[:at], self._limited(condition)


def _set_option(words: list[Word]) -> str:
    """The option of `set [default] OPTION=VALUE`."""
    texts = [word.text for word in words]
    if texts[:1] == ["default"]:
        texts = texts[1:]
    if len(texts) < 3 or texts[1] != "=":
        raise ValueError("set needs OPTION=VALUE")
    return texts[0]
