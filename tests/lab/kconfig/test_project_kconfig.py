"""Kconfig files of a project, against the program that ESP-IDF's build runs."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapscope.config.kconfig.fate import fates
from heapscope.config.kconfig.kconfig_file import KconfigReader
from heapscope.config.kconfig.lines import read_lines, user_values
from heapscope.config.kconfig.own_options import with_files
from heapscope.config.kconfig.table import OptionTable, option_table
from heapscope.config.kconfig.values import OptionValues

TREES = 60
ENVIRONMENT = {"IDF_TARGET": "esp32"}


def empty_table(release: str = "6.0.2") -> OptionTable:
    habits = option_table(release, "esp32").habits
    return OptionTable(
        release=release,
        chip="esp32",
        habits=habits,
        symbols={},
        choices={},
        renames={},
        elsewhere=frozenset(),
    )


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def read(folder: Path, *names: str, new: bool = True) -> KconfigReader:
    reader = KconfigReader(ENVIRONMENT, [folder], new=new)
    for name in names or ("Kconfig",):
        reader.read(folder / name, projbuild=name.endswith("projbuild"))
    return reader


def judged(root: Path, settings: Path) -> dict[str, str]:
    """The values of ESP-IDF's own program."""
    library: Any = importlib.import_module("esp_kconfiglib.core")
    kconfig = library.Kconfig(str(root), parser_version=1)
    kconfig.load_config(str(settings))
    kinds = (library.BOOL, library.INT, library.HEX, library.STRING)
    return {
        symbol.name: symbol.str_value
        for symbol in kconfig.unique_defined_syms
        if symbol.orig_type in kinds
    }


def compared(folder: Path, seed: int, tree: Any) -> None:
    """One tree stands for ESP-IDF; a Kconfig.projbuild is read before it, a Kconfig behind it."""
    sdk = tree(seed, "SDK")
    early = tree(seed + 1, "EARLY", known=sdk.names)
    late = tree(seed + 2, "LATE", known={**sdk.names, **early.names})
    early.files["Kconfig.projbuild"] = early.files.pop("Kconfig")
    for name, each in {"sdk": sdk, "own/early": early, "own/late": late}.items():
        write(folder / name, each.files)
    root = """mainmenu "all"
rsource "own/early/Kconfig.projbuild"
rsource "sdk/Kconfig"
menu "Component config"
rsource "own/late/Kconfig"
endmenu
"""
    settings = late.sdkconfig() + early.sdkconfig()
    write(folder, {"Kconfig": root, "sdkconfig.defaults": settings})
    table = with_files(empty_table(), read(folder / "sdk"))
    reader = read(folder / "own", "early/Kconfig.projbuild", "late/Kconfig")
    assert not reader.faults
    assert not reader.unread
    table = with_files(table, reader)
    values = OptionValues(table, user_values(read_lines(settings, table), table))
    expected = judged(folder / "Kconfig", folder / "sdkconfig.defaults")
    assert {name: values.text(name) for name in table.symbols} == expected


def test_values_are_those_of_the_sdks_own_program(
    seed: int, tmp_path: Path, random_tree: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KCONFIG_REPORT_VERBOSITY", "quiet")
    for number in range(TREES):
        each = 1000 * seed + 3 * number
        print("seed", each)
        compared(tmp_path / str(number), each, random_tree)


FAULTS = """config FIRST
    bool "first"
    default y
confg TYPO
    bool "its lines belong to nobody"
config SECOND
    int "second"
    range 1
    default 5
menu "never closed"
config
    string "no name"
config THIRD
    string "third
    default "text" iff FIRST
endif
choice
    default a b
endchoice
"""


def test_the_reader_goes_on_behind_what_it_cannot_read(tmp_path: Path) -> None:
    reader = read(write(tmp_path, {"Kconfig": FAULTS}))
    table = with_files(empty_table(), reader)
    assert {"FIRST", "SECOND", "THIRD"} <= {entry.name for entry in reader.entries}
    lines = {fault.place.line for fault in reader.faults}
    assert {4, 8, 10, 11, 14, 15, 16, 18} == lines
    values = OptionValues(table, user_values([], table))
    assert values.text("SECOND") == "5"


def test_no_macro_is_run_and_what_hangs_on_it_is_not_judged(tmp_path: Path) -> None:
    built = tmp_path / "made"
    text = f"""NAME := $(shell,touch {built})
config BY_SHELL
    string "name"
    default "$(NAME)"
config BY_FUNCTION
    int "number"
    default $(shell,echo 3)
    range 1 9
"""
    reader = read(write(tmp_path, {"Kconfig": text}))
    table = with_files(empty_table(), reader)
    assert not built.exists()
    assert [fault.place.line for fault in reader.unread][-1:] == [7]
    assert "BY_FUNCTION" in table.unsure


def test_files_outside_the_project_are_named_and_not_read(tmp_path: Path) -> None:
    secret = write(tmp_path / "else", {"Kconfig": "config SECRET\n    bool\n"}) / "Kconfig"
    folder = write(
        tmp_path / "own",
        {
            "Kconfig": f'rsource "../else/Kconfig"\nsource "{secret.as_posix()}"\n'
            'rsource "../../../**/*"\nsource "$IDF_PATH/examples/Kconfig.in"\n'
            'orsource "not_there"\nrsource "sub/Kconfig.*"\n',
            "sub/Kconfig.one": "config ONE\n    bool\n",
            "sub/Kconfig.two": 'config TWO\n    bool\nrsource "../Kconfig"\n',
        },
    )
    reader = read(folder)
    assert [entry.name for entry in reader.entries] == ["ONE", "TWO"]
    assert [fault.place.line for fault in reader.unread] == [1, 2, 3, 4]
    assert [fault.message for fault in reader.faults] == [
        f"{folder.as_posix()}/Kconfig reads itself"
    ]


def test_a_condition_of_an_unread_file_leaves_its_options_unjudged(tmp_path: Path) -> None:
    text = """source "$IDF_PATH/Kconfig.env_caps"
config GPIO
    int "pin"
    range 0 ENV_GPIO_MAX
config OTHER
    int "other"
    range 0 9
config BEHIND
    bool "behind"
    depends on GPIO > 3
"""
    table = with_files(empty_table(), read(write(tmp_path, {"Kconfig": text})))
    assert table.unsure == {"GPIO", "BEHIND"}
    lines = list(read_lines("CONFIG_GPIO=33\nCONFIG_OTHER=33\nCONFIG_BEHIND=y\n", table))
    values = OptionValues(table, user_values(lines, table))
    assert [fate.reason for fate in fates(lines, values)] == ["", "range", ""]


@pytest.mark.parametrize("new", [True, False])
def test_old_words_are_read_where_the_release_reads_them(new: bool, tmp_path: Path) -> None:
    text = """config OLD
    def_bool y
config MODULE
    tristate "module"
    default OLD
config HELPED
    boolean "helped"
    ---help---
      config NOT_AN_OPTION
"""
    reader = read(write(tmp_path, {"Kconfig": text}), new=new)
    table = with_files(empty_table("6.0.2" if new else "4.4.8"), reader)
    assert [fault.place.line for fault in reader.faults] == ([2, 4] if new else [])
    assert "HELPED" in table.symbols
    assert "NOT_AN_OPTION" not in table.symbols
    assert ("MODULE" in table.symbols) is not new


PIECES = (
    "config A\n", "config B\n", "menu \"m\"\n", "endmenu\n", "choice\n", "endchoice\n", "if A\n",
    "endif\n", "bool \"x\"\n", "int\n", "default ", "depends on ", "select B\n", "range 1 2\n",
    "help\n  text\n", "source \"$(X)\"\n", "rsource \"Kconfig\"\n", "X := $(X)$(X)\n", "X = $(X)\n",
    "A", "&&", "||", "!", "(", ")", "=", "\"", "'", "\\", "$(", "$(X)", "\n", "\t", "\0", "\u2028",
    "y", "if", "set A=B\n", "option env=\"X\"\n", "float\n", "9" * 1000, "(" * 200,
    "rsource \"\0\"\n",
    "rsource \"**/[\"\n", "visible if ",
)  # fmt: skip


@given(text=st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=200).map("".join))
def test_any_text_is_read(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "Kconfig").write_bytes(text.encode("utf-8", "surrogatepass"))
    reader = read(folder)
    table = with_files(option_table("5.5.5", "esp32"), reader)
    values = OptionValues(table, user_values([], table))
    assert all(isinstance(values.text(name), str) for name in ("A", "B") if name in table.symbols)
    assert all(isinstance(values.can_set(name), bool) for name in ("A", "B", "SPIRAM"))
    assert all(fault.message and fault.place.file for fault in reader.faults + reader.unread)


def test_a_deep_tree_ends(tmp_path: Path) -> None:
    """Blocks in blocks, and conditions that would grow with each of them."""
    deep = "".join(f'if A{n} = {n} || B\nmenu "m"\nvisible if C{n} && D\n' for n in range(600))
    text = deep + 'config A\n    bool "a"\n    default y if A = A\n' * 100
    reader = read(write(tmp_path, {"Kconfig": text}))
    table = with_files(empty_table(), reader)
    assert len(OptionValues(table, user_values([], table)).text("A")) == 1
    assert reader.unread
