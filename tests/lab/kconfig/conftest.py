"""Random Kconfig files and lines of an sdkconfig for them."""

from __future__ import annotations

from random import Random

import pytest

_KINDS = ("bool", "bool", "bool", "int", "hex", "string")
_SIGNS = ("=", "!=", "<", "<=", ">", ">=")


class RandomTree:
    """`files`: by name, the first one reads the others. `names`: each option and its kind. Options
    with END in their names are in no condition, so that no loop comes out where others select them
    or define them again. `known`: options of other trees."""

    def __init__(self, seed: int, prefix: str, *, known: dict[str, str] | None = None) -> None:
        self._random = Random(seed)
        self._prefix = prefix
        self.names: dict[str, str] = {}
        self._known = dict(known or {})
        self._left = self._random.randint(5, 25)
        self._choices = 0
        self.files: dict[str, str] = {}
        lines = self._block(0, "")
        while self._left > 0:
            lines += self._block(0, "")
        self.files = {"Kconfig": "\n".join(lines) + "\n", **self.files}

    def sdkconfig(self) -> str:
        """Lines that are legal and lines that are not."""
        random = self._random
        names = self._every()
        lines = []
        for _ in range(random.randint(0, 12)):
            name = random.choice(sorted(names))
            if random.random() < 0.15:
                lines.append(f"# CONFIG_{name} is not set")
            elif random.random() < 0.8:
                lines.append(f"CONFIG_{name}={self._legal(names[name])}")
            elif names[name] != "string":  # of a string, the program itself falls over such a line
                lines.append(f"CONFIG_{name}={self._legal(random.choice(_KINDS))}")
        return "\n".join(lines) + "\n"

    def _legal(self, kind: str) -> str:
        number = self._random.randint(0, 12)
        return {
            "bool": self._random.choice("yn"),
            "int": str(number),
            "hex": hex(number),
            "string": f'"{self._text()}"',
        }[kind]

    def _block(self, depth: int, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self._random.randint(1, 5)):
            if self._left <= 0:
                break
            lines += self._statement(depth, indent)
            if self._random.random() < 0.2:
                lines.append(self._random.choice(["", "# a comment", f"{indent}    # another"]))
        return lines

    def _statement(self, depth: int, indent: str) -> list[str]:
        random = self._random
        inner = indent + "    "
        kind = random.choices(
            ("config", "menu", "if", "choice", "source", "comment", "again"),
            (10, 2, 2, 2, 1, 1, 1),
        )[0]
        if depth > 3 or kind == "config":
            return self._config(indent)
        if kind == "menu":
            lines = [f'{indent}menu "A {self._text()}"']
            if random.random() < 0.5:
                lines.append(f"{inner}depends on {self._condition()}")
            if random.random() < 0.3:
                lines.append(f"{inner}visible if {self._condition()}")
            return [*lines, *self._block(depth + 1, inner), f"{indent}endmenu"]
        if kind == "if":
            opened = f"{indent}if {self._condition()}"
            return [opened, *self._block(depth + 1, inner), f"{indent}endif  # that was it"]
        if kind == "choice":
            return self._choice(indent)
        if kind == "source":
            name = f"{self._prefix.lower()}_{len(self.files)}.in"
            self.files[name] = ""
            self.files[name] = "\n".join(self._block(depth + 1, "")) + "\n"
            return [f'{indent}{random.choice(["rsource", "orsource"])} "{name}"']
        ends = {name: each for name, each in self._every().items() if "END" in name}
        if kind == "again" and ends:
            name = random.choice(sorted(ends))
            return [f"{indent}config {name}", *self._lines(ends[name], inner)]
        return [f'{indent}comment "{self._text()}"', f"{inner}depends on {self._condition()}"]

    def _config(self, indent: str) -> list[str]:
        random = self._random
        self._left -= 1
        name = f"{self._prefix}_{random.choice(['', '', 'END'])}{len(self.names)}"
        kind = random.choice(_KINDS)
        lines = self._lines(kind, indent + "    ", selects="END" not in name)
        self.names[name] = kind
        word = random.choice(["config", "config", "menuconfig"])
        return [f"{indent}{word} {name}", *lines]

    def _lines(self, kind: str, indent: str, *, selects: bool = False) -> list[str]:
        random = self._random
        prompt = f' "say {self._text()}"' if random.random() < 0.7 else ""
        if prompt and random.random() < 0.2:
            prompt += f" if {self._condition()}"
        lines = [f"{indent}{kind}{prompt}"]
        if random.random() < 0.4:
            lines.append(f"{indent}depends on {self._condition()}")
        if kind in ("int", "hex") and random.random() < 0.5:
            for _ in range(random.randint(1, 2)):
                low = random.randint(0, 5)
                sides = [self._number(kind, low), self._number(kind, low + random.randint(0, 6))]
                lines.append(f"{indent}range {' '.join(sides)}{self._if()}")
        for _ in range(random.randint(0, 2)):
            lines.append(f"{indent}default {self._default(kind)}{self._if()}")
        if kind == "bool" and selects:
            for word in ("select", "imply"):
                every = self._every()
                bools = [name for name in every if "END" in name and every[name] == "bool"]
                if random.random() < 0.2 and bools:
                    lines.append(f"{indent}{word} {random.choice(bools)}{self._if()}")
        if random.random() < 0.3:
            lines += [f"{indent}help", f"{indent}    config THIS_IS_TEXT", "", f"{indent}      x"]
        return lines

    def _choice(self, indent: str) -> list[str]:
        random = self._random
        inner = indent + "    "
        self._choices += 1
        named = f" {self._prefix}_CHOICE_{self._choices}" if random.random() < 0.5 else ""
        lines = [f"{indent}choice{named}", f'{inner}prompt "{self._text()}"']
        if random.random() < 0.3:
            lines.append(f"{inner}depends on {self._condition()}")
        first = len(self.names)
        members: list[str] = []
        last = first + random.randint(0, 3)
        whole = [first]
        for number in range(first, last + 1):
            self._left -= 1
            members.append(f"{inner}config {self._prefix}_{number}")
            members.append(f'{inner}    bool "{self._text()}"')
            if random.random() < 0.15 and number > first:  # the choice does not count it
                members.append(f"{inner}    depends on {self._prefix}_{number - 1}")
                continue
            whole.append(number)
            if random.random() < 0.3:
                members.append(f"{inner}    depends on {self._condition()}")
        if random.random() < 0.6:
            default = f"{self._prefix}_{random.choice(whole)}"
            lines.append(f"{inner}default {default}{self._if()}")
        self.names |= {f"{self._prefix}_{number}": "bool" for number in range(first, last + 1)}
        return [*lines, *members, f"{indent}endchoice"]

    def _default(self, kind: str) -> str:
        random = self._random
        same = self._earlier(kind)
        if kind == "bool":
            return self._condition() if random.random() < 0.3 else random.choice(["y", "n", '"y"'])
        if same and random.random() < 0.3:
            return random.choice(same)
        return f'"{self._text()}"' if kind == "string" else self._number(kind, random.randint(0, 9))

    def _number(self, kind: str, number: int) -> str:
        same = self._earlier(kind)
        if same and self._random.random() < 0.15:
            return self._random.choice(same)
        return hex(number) if kind == "hex" else str(number)

    def _if(self) -> str:
        return f" if {self._condition()}" if self._random.random() < 0.3 else ""

    def _condition(self, depth: int = 0) -> str:
        random = self._random
        built = random.random()
        if depth > 2 or built < 0.5:
            return self._atom()
        if built < 0.65:
            return f"!{self._atom()}"
        if built < 0.8:
            inside = f"{self._condition(depth + 1)} {random.choice(['&&', '||'])} {self._atom()}"
            return f"({inside})" if random.random() < 0.5 else inside
        kind = random.choice(_KINDS)
        same = self._earlier(kind)
        if not same:
            return self._atom()
        other = "y" if kind == "bool" else self._default(kind)
        signs = _SIGNS[:2] if kind in ("bool", "string") else _SIGNS
        return f"{random.choice(same)} {random.choice(signs)} {other}"

    def _atom(self) -> str:
        names = [*self._earlier("bool"), "NOBODY_HAS_IT", "y"]
        return self._random.choice(names)

    def _earlier(self, kind: str) -> list[str]:
        return [name for name, each in self._every().items() if each == kind and "END" not in name]

    def _every(self) -> dict[str, str]:
        return {**self._known, **self.names}

    def _text(self) -> str:
        return "".join(self._random.choice("ab 'c.#") for _ in range(self._random.randint(1, 6)))


@pytest.fixture
def random_tree() -> type[RandomTree]:
    return RandomTree
