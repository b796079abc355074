"""The values of all options in one firmware's configuration, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from heapscope.config.evaluate import truth
from heapscope.config.lines import SettingLine
from heapscope.config.option import Choice, DefaultIf, Option, Range
from heapscope.config.read_file import ConfigFile, read_config_file
from heapscope.config.renames import newest
from heapscope.config.tables import DEPENDS_SDKS, choices, of_other_chips, option_table
from heapscope.config.value import Value, guess_value, parse_value
from heapscope.errors import InputError

_ROUNDS = 8  # the longest chain of dependencies has 5
_PSRAM_MENU = "SPIRAM_"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A line of a file. `value`: None where the text does not fit the option's type, so that
    Kconfig leaves the line out. `order` grows over all files."""

    name: str  # the newest one
    written: str  # as in the file
    text: str
    value: Value | None
    file: str
    line: int
    order: int
    inverted: bool = False  # the old name said the opposite
    automatic: bool = False  # Kconfig's own default, written down


@dataclass(frozen=True, kw_only=True, eq=False)
class Config:
    """`settings`: the line that counts for each option, the last one; `all_settings` has those
    before it too. `tree`: values that a real Kconfig worked out, which then stand for our
    defaults."""

    chip: str
    sdk: str  # one of tables.SDKS
    files: tuple[ConfigFile, ...] = ()
    settings: Mapping[str, Setting] = field(default_factory=dict)
    all_settings: tuple[Setting, ...] = ()
    tree: Mapping[str, Value] = field(default_factory=dict)
    _found: dict[str, Value | None] = field(default_factory=dict, repr=False)
    _open: set[str] = field(default_factory=set, repr=False)

    def value(self, name: str) -> Value | None:
        """The value in the files, or else the default; None: not known."""
        if name.startswith("IDF_TARGET_"):
            return name.removeprefix("IDF_TARGET_").lower() == self.chip
        if name == "IDF_TARGET":
            return self.chip
        if name not in self._found:
            if name in self._open:  # a default that hangs on itself
                return None
            self._open.add(name)
            try:
                self._found[name] = self._value(name)
            finally:
                self._open.discard(name)
        return self._found[name]

    def default(self, name: str) -> Value | None:
        """Its value if no file said anything of it, everything else as it is."""
        others = {key: each for key, each in self.settings.items() if not _same(key, name)}
        return replace(self, settings=others, _found={}, _open=set()).value(name)

    def given(self, name: str) -> bool:
        """A file has a line for it that Kconfig did not write by itself."""
        setting = self.settings.get(name)
        return setting is not None and setting.value is not None and not setting.automatic

    def changed(self, name: str) -> bool:
        return self.given(name) and self.value(name) != self.default(name)

    def changed_to(self, values: Mapping[str, Value]) -> Config:
        """A copy with these values, as lines after all others would give them."""
        settings = dict(self.settings)
        order = max((each.order for each in self.all_settings), default=0)
        for number, (name, value) in enumerate(values.items(), 1):
            settings[name] = Setting(
                name=name,
                written=name,
                text="",
                value=value,
                file="",
                line=0,
                order=order + number,
            )
        return replace(self, settings=settings, _found={}, _open=set())

    def without(self, names: Iterable[str]) -> Config:
        """A copy without the lines for these options."""
        settings = {key: each for key, each in self.settings.items() if key not in set(names)}
        return replace(self, settings=settings, _found={}, _open=set())

    def taken(self) -> tuple[Config, tuple[Setting, ...]]:
        """The configuration of a build: without the lines that Kconfig leaves out, as what their
        options depend on is off. Also those of them that would have changed something."""
        now = self
        for _ in range(_ROUNDS):  # a line that goes can take others with it, or bring some back
            off = {name for name in self.settings if now._left_out(name)}
            if off == self.settings.keys() - now.settings.keys():
                break
            now = self.without(off)
        gone = [each for name, each in self.settings.items() if name not in now.settings]
        said = [each for each in gone if each.file and each.value not in (None, False)]
        said = [each for each in said if each.value != now.value(each.name)]
        return now, tuple(sorted(said, key=lambda each: each.order))

    def _left_out(self, name: str) -> bool:
        option = option_table().get(name)
        if option is not None and of_other_chips(option, self.chip):
            return True
        # All of its menu, in versions whose dependencies are not in the table, too.
        if name.startswith(_PSRAM_MENU) and self.value("SPIRAM") is False:
            return True
        return self.possible(name) is False

    def possible(self, name: str) -> bool | None:
        """Kconfig knows the option in this build: what it depends on holds."""
        option = option_table().get(name)
        if option is None or option.depends is None or self.sdk not in DEPENDS_SDKS:
            return None
        return truth(option.depends, self)

    def _value(self, name: str) -> Value | None:
        option = option_table().get(name)
        setting = self.settings.get(name)
        if option is not None and option.choice and self.chip:
            picked = self._picked(choices()[option.choice])
            if picked is not None:
                return picked == name
        if setting is not None and setting.value is not None:
            return setting.value
        if name in self.tree:
            return self.tree[name]
        return None if option is None else self._default(option)

    def _picked(self, choice: Choice) -> str | None:
        """The member that is y: the last that a file says, or else the default."""
        said = [self.settings[name] for name in choice.members if name in self.settings]
        yes = [each for each in said if each.value is True]
        if yes:
            return max(yes, key=lambda each: each.order).name
        named = [name for name in choice.members if self.tree.get(name) is True]
        if named:
            return named[0]
        known, default = self._first(choice.defaults_if)
        if not known:
            return None
        member = default if default is not None else choice.defaults.get(self.chip)
        refused = member in self.settings and self.settings[str(member)].value is False
        return None if refused or member is None else str(member)

    def _default(self, option: Option) -> Value | None:
        absent = False if option.kind == "bool" else None
        if self.possible(option.name) is False:
            return absent
        known, value = self._first(option.defaults_if)
        if not known or value is not None:
            return value
        if self.chip in option.defaults:
            return option.defaults[self.chip]
        # Other chips have it in a default build: this one lacks what it is for.
        return absent if option.defaults else None

    def _first(self, defaults: Sequence[DefaultIf]) -> tuple[bool, Value | None]:
        """The first that holds: (True, None) when none does, (False, None) when one cannot tell."""
        for default in defaults:
            if default.covers(chip=self.chip, sdk=self.sdk):
                holds = True if default.when is None else truth(default.when, self)
                if holds is None:
                    return False, None
                if holds:
                    return True, default.value
        return True, None


def read_files(paths: Sequence[str | Path]) -> tuple[ConfigFile, ...]:
    """InputError names file and cause; also when no option is set in any of them."""
    files = tuple(read_config_file(path) for path in paths)
    if not any(file.lines for file in files):
        raise InputError(
            f"{', '.join(file.name for file in files)}: no option is set in it",
            remedy="give the project's sdkconfig, or a sdkconfig.defaults with lines CONFIG_X=Y",
        )
    return files


def settle(files: Sequence[ConfigFile], *, chip: str, sdk: str) -> Config:
    """Later files and later lines win."""
    every: list[Setting] = []
    for file in files:
        for line in file.lines:
            every.append(_setting(line, file.name, chip=chip, order=len(every) + 1))
    counting: dict[str, Setting] = {}
    for setting in every:
        if setting.value is not None or setting.name not in counting:
            counting[setting.name] = setting
    return Config(
        chip=chip,
        sdk=sdk,
        files=tuple(files),
        settings=counting,
        all_settings=tuple(every),
    )


def read_config(paths: Sequence[str | Path], *, chip: str, sdk: str) -> Config:
    """The options that sdkconfig, sdkconfig.json and any number of sdkconfig.defaults set
    together."""
    return settle(read_files(paths), chip=chip, sdk=sdk)


def _setting(line: SettingLine, file: str, *, chip: str, order: int) -> Setting:
    new = newest(line.name, chip)
    option = option_table().get(new.name)
    text = line.text
    if option is not None and option.kind == "hex" and line.decimal and text.isdecimal():
        text = hex(int(text))
    value = guess_value(text) if option is None else parse_value(text, option.kind)
    if new.inverted and isinstance(value, bool):
        value = not value
    return Setting(
        name=new.name,
        written=line.name,
        text=text,
        value=value,
        file=file,
        line=line.number,
        order=order,
        inverted=new.inverted,
        automatic=line.automatic,
    )


def _same(one: str, other: str) -> bool:
    """The same option, or members of one choice: what one says, the others follow."""
    first, second = option_table().get(one), option_table().get(other)
    if one == other:
        return True
    return bool(first and second and first.choice and first.choice == second.choice)


def allowed(config: Config, option: Option) -> tuple[Range, ...]:
    """The range that counts; several where a condition of one is not known; empty: none is."""
    return tuple(_allowed(config, option))


def out_of_range(config: Config, option: Option, value: int) -> tuple[Range, ...]:
    """The ranges of which it is in none; empty: it is in one, or no range is known."""
    limits = allowed(config, option)
    return () if any(each.low <= value <= each.high for each in limits) else limits


def _allowed(config: Config, option: Option) -> Iterator[Range]:
    for limits in option.ranges:
        if limits.covers(chip=config.chip, sdk=config.sdk):
            holds = True if limits.when is None else truth(limits.when, config)
            if holds is not False:
                yield limits
            if holds:
                return
