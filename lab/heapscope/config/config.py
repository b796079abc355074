"""The values of all options in one firmware's configuration, and where each comes from."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.config.kconfig.lines import ReadLine, read_lines, read_members, user_values
from heapscope.config.kconfig.names import name_in
from heapscope.config.kconfig.patches import unlike, with_defaults
from heapscope.config.kconfig.readers import ReadValues
from heapscope.config.kconfig.stated import JudgedLines, judged_lines
from heapscope.config.kconfig.table import (
    RELEASES,
    Kind,
    OptionTable,
    chips_of,
    option_table,
    release_for,
)
from heapscope.config.kconfig.values import OptionValues, UserValues
from heapscope.config.read_file import WHOLE, ConfigFile, read_config_file
from heapscope.config.setting import JudgedLine, Setting
from heapscope.config.value import Value, config_line, value_text


@dataclass(frozen=True, kw_only=True, eq=False)
class Config:
    """`sdk`: the version that was asked for. `own`: options that stand in place of those of its
    release, such as a project's; None: the release's. `all_settings`: every line of the files that
    names an option, in their order, and values that were changed since. Names may be those of any
    release."""

    chip: str
    sdk: str
    own: OptionTable | None = None
    files: tuple[ConfigFile, ...] = ()
    all_settings: tuple[Setting, ...] = ()
    malformed: tuple[Setting, ...] = ()
    _user: UserValues = field(default_factory=UserValues, repr=False)
    _without: dict[str, Config] = field(default_factory=dict, repr=False)
    _known: dict[str, Value | None] = field(default_factory=dict, repr=False)
    _lacking: dict[tuple[str, ...], bool] = field(default_factory=dict, repr=False)

    # ---- values ----------------------------------------------------------------------------------

    def value(self, name: str) -> Value | None:
        """The value that a build has. None: the release has no such option, or a number has no
        default; False: only other chips have it."""
        if name not in self._known:
            self._known[name] = self._value(name)
        return self._known[name]

    def _value(self, name: str) -> Value | None:
        if name.startswith("IDF_TARGET_ESP"):
            return name.removeprefix("IDF_TARGET_").lower() == self.chip
        if name == "IDF_TARGET":
            return self.chip
        here = self.name_here(name)
        if here is not None:
            return typed(self.values.text(here), self.table.symbols[here].kind)
        return False if name in self.table.elsewhere else None

    def default(self, name: str) -> Value | None:
        """Its value if no file said anything of it, everything else as it is."""
        here = self.name_here(name) or name
        if here not in self._without:
            symbol = self.table.symbols.get(here)
            same = symbol is not None and symbol.choice
            members = self.table.choices[symbol.choice].members if symbol and same else (here,)
            self._without[here] = self.without(members)
        return self._without[here].value(here)

    def given(self, name: str) -> bool:
        """A file has a line for it that Kconfig did not write by itself."""
        setting = self.setting(name)
        return setting is not None and setting.value is not None and not setting.automatic

    def changed(self, name: str) -> bool:
        return self.given(name) and self.value(name) != self.default(name)

    def can_set(self, name: str) -> bool | None:
        """A line for the option has an effect here; None: the release has no such option."""
        here = self.name_here(name)
        return None if here is None else self.values.can_set(here)

    def in_choice(self, name: str) -> bool:
        """Exactly one of the option and some others is y."""
        here = self.name_here(name)
        return here is not None and bool(self.table.symbols[here].choice)

    def bounds(self, name: str) -> tuple[int, int] | None:
        """The range that counts; None: none, or no such number."""
        here = self.name_here(name)
        if here is None or self.kind(here) not in ("int", "hex"):
            return None
        return self.values.range_of(here)

    # ---- names -----------------------------------------------------------------------------------

    def name_here(self, name: str) -> str | None:
        """The release's own name of an option; None: it has no such option."""
        return name_in(self.table, name)

    def kind(self, name: str) -> Kind | None:
        here = self.name_here(name)
        return None if here is None else self.table.symbols[here].kind

    def line(self, name: str, value: Value) -> str:
        """The line of sdkconfig.defaults that gives the value, in the release's name; "": the
        release has no such option."""
        return line_of(self.table, name, value)

    # ---- lines -----------------------------------------------------------------------------------

    def setting(self, name: str) -> Setting | None:
        """The line that counts for an option; None: no line names it."""
        return self.settings.get(self.name_here(name) or name)

    @cached_property
    def settings(self) -> Mapping[str, Setting]:
        """By the release's name, the last line that has a value, or else the last one."""
        result: dict[str, Setting] = {}
        for setting in self.all_settings:
            before = result.get(setting.name)
            if setting.value is not None or before is None or before.value is None:
                result[setting.name] = setting
        return result

    def subject(self, setting: Setting) -> str:
        """The choice that a line makes, or the option that it is about."""
        symbol = self.table.symbols.get(setting.name)
        if symbol is None or not symbol.choice or setting.value is not True:
            return setting.name
        return f"@{symbol.choice}"

    def lacks(self, *begins: str) -> bool:
        """Kconfig wrote a file whole, and no line of it has an option whose name begins so: the
        component with these options is not in the build, whatever other files say."""
        if begins not in self._lacking:
            whole = {file.name for file in self.files if file.generated}
            names = {each.written for each in self.all_settings if each.file in whole}
            self._lacking[begins] = len(names) >= WHOLE and not any(
                name.startswith(begins) for name in names
            )
        return self._lacking[begins]

    def overridden(self) -> Iterator[Setting]:
        """Lines that a later line of the same file contradicts: the last one counts."""
        last = {self.subject(each): each for each in self.all_settings if each.file}
        for judged in self.judged:
            each = judged.setting
            if judged.fate.reason == "later" and each.file == last[self.subject(each)].file:
                yield each

    @cached_property
    def judged(self) -> tuple[JudgedLine, ...]:
        """Each line with its fate in the release's program, malformed ones too, in their order."""
        fates = self._judgement.fates
        return tuple(
            JudgedLine(setting=setting, fate=fate)
            for setting, fate in zip(self._every_line, fates, strict=True)
        )

    @property
    def judging(self) -> OptionValues:
        """The values that tell why a line of `judged` is at fault."""
        return self._judgement.values

    @cached_property
    def _judgement(self) -> JudgedLines:
        whole = {file.name for file in self.files if file.generated}
        return judged_lines(
            [each.read for each in self._every_line],
            [each.file in whole for each in self._every_line],
            self.values,
        )

    @cached_property
    def _every_line(self) -> tuple[Setting, ...]:
        every = (*self.all_settings, *self.malformed)
        return tuple(sorted(every, key=lambda each: each.order))

    # ---- copies ----------------------------------------------------------------------------------

    def changed_to(self, values: Mapping[str, Value]) -> Config:
        """A copy with these values, as lines after all others would give them. An option that the
        release does not have is left out."""
        given, picked = dict(self._user.values), dict(self._user.picked)
        more: list[Setting] = []
        order = max((each.order for each in self.all_settings), default=0)
        for name, value in values.items():
            here = self.name_here(name)
            if here is None:
                continue
            symbol = self.table.symbols[here]
            text = _given_text(value, symbol.kind)
            if symbol.choice:
                if value is True:
                    picked[symbol.choice] = here
            else:
                given[here] = text
            more.append(_changed_setting(here, text, value, symbol.kind, order + len(more) + 1))
        user = UserValues(values=given, picked=picked, marked=self._user.marked)
        return self._copy((*self.all_settings, *more), user)

    def without(self, names: Iterable[str]) -> Config:
        """A copy without the lines for these options."""
        gone = {self.name_here(name) or name for name in names}
        left = tuple(each for each in self.all_settings if each.name not in gone)
        return self._copy(left, user_values((each.read for each in left), self.table))

    def _copy(self, settings: tuple[Setting, ...], user: UserValues) -> Config:
        return Config(
            chip=self.chip,
            sdk=self.sdk,
            own=self.own,
            files=self.files,
            all_settings=settings,
            malformed=self.malformed,
            _user=user,
        )

    @cached_property
    def table(self) -> OptionTable:
        """The options that stand for the version."""
        return self.own or table_of(self.chip, self.sdk)

    @cached_property
    def values(self) -> OptionValues:
        return OptionValues(self.table, self._user)

    def read_values(self) -> ReadValues:
        """The same, worked out anew, which tell what hangs on what."""
        return ReadValues(self.table, self._user)


def read_files(paths: Sequence[str | Path]) -> tuple[ConfigFile, ...]:
    """InputError names the file that cannot be read."""
    return tuple(read_config_file(path) for path in paths)


def settle(
    files: Sequence[ConfigFile], *, chip: str, sdk: str, own: OptionTable | None = None
) -> Config:
    """Later files and later lines win. `own`: the options, where they are not those of `sdk`.
    InputError: no version has the chip."""
    table = own or table_of(chip, sdk)
    settings: list[Setting] = []
    malformed: list[Setting] = []
    order = 0
    for file in files:
        for line in _lines(file, table):
            order += 1
            setting = _setting(line, file.name, table, order)
            (settings if line.written else malformed).append(setting)
    return Config(
        chip=chip,
        sdk=sdk,
        own=own,
        files=tuple(files),
        all_settings=tuple(settings),
        malformed=tuple(malformed),
        _user=user_values((each.read for each in settings), table),
    )


def read_config(paths: Sequence[str | Path], *, chip: str, sdk: str) -> Config:
    """The options that sdkconfig, sdkconfig.json and any number of sdkconfig.defaults set
    together."""
    return settle(read_files(paths), chip=chip, sdk=sdk)


def table_of(chip: str, sdk: str, *, certain: bool = True) -> OptionTable:
    """The options of a version, or of the nearest one that has the chip. Not `certain`: another
    version of its minor may be meant. InputError: none has."""
    try:
        return _table_of(release_for(sdk, chip), chip, sdk, certain)
    except ValueError:
        raise InputError(
            f"no ESP-IDF with a table of options has {printable(chip)}",
            remedy=f"give one of: {', '.join(chips_of(RELEASES[-1]))}",
        ) from None


@functools.lru_cache(maxsize=16)
def _table_of(release: str, chip: str, sdk: str, certain: bool) -> OptionTable:
    table = option_table(release, chip)
    own = with_defaults(table, sdk) if certain else table
    return replace(own, unlike=unlike(sdk, release, certain=certain))


def line_of(table: OptionTable, name: str, value: Value) -> str:
    """The line of sdkconfig.defaults that gives the value, in the release's name; "": the release
    has no such option."""
    here = name_in(table, name)
    return "" if here is None else config_line(here, value, kind=table.symbols[here].kind)


def typed(text: str, kind: Kind) -> Value | None:
    """The value of a text that the release's program made; None: a number without any default."""
    if kind == "bool":
        return text == "y"
    if kind == "string":
        return text
    try:
        return int(text, 16 if kind == "hex" else 10)
    except ValueError:
        return None


def _lines(file: ConfigFile, table: OptionTable) -> Iterator[ReadLine]:
    if file.members:
        yield from read_members(file.members, table)
    yield from read_lines(file.text, table, whole=file.generated)


def _setting(line: ReadLine, file: str, table: OptionTable, order: int) -> Setting:
    symbol = table.symbols.get(line.option)
    value: Value | None = None
    if symbol is not None and line.value is not None:
        value = typed(line.value, symbol.kind)
    return Setting(
        name=line.option or line.written,
        written=line.written,
        text=line.given if line.written else line.text,
        value=value,
        file=file,
        line=line.number,
        order=order,
        automatic=line.marked,
        read=line,
    )


def _given_text(value: Value, kind: Kind) -> str:
    return value if isinstance(value, str) else value_text(value, kind=kind)


def _changed_setting(name: str, text: str, value: Value, kind: Kind, order: int) -> Setting:
    stated = value_text(value, kind=kind)
    read = ReadLine(number=0, text="", written=name, option=name, given=stated, value=text)
    return Setting(
        name=name, written=name, text=stated, value=value, file="", line=0, order=order, read=read
    )
