"""The values that a real Kconfig gives the files: esp-idf-kconfig on the Kconfig files of an
ESP-IDF."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from heapscope.config.config import Config, Setting
from heapscope.config.renames import newest
from heapscope.config.value import Kind, Value, parse_value
from heapscope.errors import InputError
from heapscope.trace.names import printable

_REMEDY = "give the folder of an ESP-IDF checkout: Kconfig and components/ are in it"
_SECONDS = 300  # reading all of ESP-IDF's takes a few

Symbols = Mapping[str, tuple[Kind, str]]  #: type and text by name; "": not visible
Renames = Mapping[str, tuple[str, bool]]  #: new name, and whether y and n are exchanged


@dataclass(frozen=True, kw_only=True)
class IgnoredSetting:
    """A line that does not get its value. `became`: what Kconfig has instead; None: the option is
    not visible, or (`known` false) not defined at all."""

    setting: Setting
    known: bool
    became: str | None


def tree_version(tree: Path) -> str:
    """ "5.5.1", out of tools/cmake/version.cmake; "": the tree does not say."""
    try:
        text = (tree / "tools" / "cmake" / "version.cmake").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    parts = [
        re.search(rf"set\(IDF_VERSION_{part} +([0-9]+)\)", text)
        for part in ("MAJOR", "MINOR", "PATCH")
    ]
    return ".".join(part[1] for part in parts if part is not None)


def with_tree(config: Config, tree: Path) -> tuple[Config, tuple[IgnoredSetting, ...]]:
    """The configuration with the tree's defaults in place of ours, and the lines it refuses.
    InputError when esp-idf-kconfig is missing, or when the folder is not an ESP-IDF."""
    if importlib.util.find_spec("esp_kconfiglib") is None:
        raise InputError(
            "--idf-tree needs esp-idf-kconfig, which is not installed",
            remedy="pip install 'heapscope[kconfig]', or leave --idf-tree out",
        )
    if not (tree / "Kconfig").is_file() or not (tree / "components").is_dir():
        raise _no_tree(tree, "no ESP-IDF")
    symbols, renames = _asked(config, tree.resolve())
    values = dict(_values(symbols, config.chip))
    refusals = tuple(_refusals(config, symbols, renames))
    return replace(config, tree=values, _found={}, _open=set()), refusals


def _asked(config: Config, tree: Path) -> tuple[Symbols, Renames]:
    """In another process: Kconfig reads the environment, and reports to the terminal."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked, answered = folder / "sdkconfig.defaults", folder / "answer.json"
        lines = map(_line, config.settings.values())
        asked.write_text("\n".join(lines) + "\n", encoding="utf-8")
        lists = [
            *sorted(tree.glob("components/*/sdkconfig.rename")),
            *sorted(tree.glob(f"components/*/sdkconfig.rename.{config.chip}")),
        ]
        worker = [sys.executable, "-m", "heapscope.config.kconfig_worker"]
        try:
            done = subprocess.run(
                [*worker, tree / "Kconfig", asked, answered, *lists],
                env=os.environ | _environment(tree, config.chip, folder),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise _no_tree(tree, f"Kconfig did not end within {_SECONDS} s") from None
        if not answered.is_file():
            last = done.stderr.strip().splitlines()[-1:] or [b"no answer"]
            raise _no_tree(tree, f"Kconfig: {printable(last[0], limit=300)}")
        answer = json.loads(answered.read_text(encoding="utf-8"))
    if "error" in answer:
        raise _no_tree(tree, f"Kconfig: {printable(answer['error'], limit=300)}")
    symbols = {name: (kind, text) for name, (kind, text) in answer["values"].items()}
    return symbols, {old: (new, turned) for old, (new, turned) in answer["renames"].items()}


def _no_tree(tree: Path, why: str) -> InputError:
    return InputError(f"{printable(str(tree), limit=400)}: {why}", remedy=_REMEDY)


def _line(setting: Setting) -> str:
    """The name in the file; the tree takes old names, and turns them, by its own lists."""
    if setting.text == "n":
        return f"# CONFIG_{setting.written} is not set"
    return f"CONFIG_{setting.written}={setting.text}"


def _values(symbols: Symbols, chip: str) -> Iterator[tuple[str, Value]]:
    """Under the newest names, as everything here is."""
    for name, (kind, text) in symbols.items():
        if not text and kind != "string":
            continue
        value = text if kind == "string" else parse_value(text, cast(Kind, kind))
        if value is not None:
            new = newest(name, chip)
            yield new.name, not value if new.inverted and isinstance(value, bool) else value


def _refusals(config: Config, symbols: Symbols, renames: Renames) -> Iterator[IgnoredSetting]:
    for setting in config.settings.values():
        if setting.value is None:
            continue
        name, inverted = setting.written, False
        if name not in symbols:
            name, inverted = renames.get(name, (name, False))
        if name not in symbols:
            yield IgnoredSetting(setting=setting, known=False, became=None)
            continue
        kind, became = symbols[name]
        if not _equal(kind, became, setting.text, inverted=inverted):
            yield IgnoredSetting(setting=setting, known=True, became=became or None)


def _equal(kind: Kind, became: str, asked: str, *, inverted: bool) -> bool:
    """0x10 and 10 of a hexadecimal option are one; quotes are not part of a string."""
    if kind == "string":
        return became == parse_value(asked, kind)
    if inverted:
        asked = {"y": "n", "n": "y"}.get(asked, asked)
    values = [parse_value(text, kind) for text in (became, asked)]
    return None not in values and values[0] == values[1]


def _environment(tree: Path, chip: str, folder: Path) -> dict[str, str]:
    """The environment that ESP-IDF's build gives its Kconfig files. Lists of files to read are
    written here."""
    excluded = folder / "excluded"
    excluded.write_text("", encoding="utf-8")
    wanted = {
        "IDF_PATH": str(tree),
        "IDF_TARGET": chip,
        "IDF_VERSION": tree_version(tree),
        "IDF_INIT_VERSION": tree_version(tree),
        "IDF_TOOLCHAIN": "gcc",
        "IDF_ENV_FPGA": "",
        "IDF_CI_BUILD": "",
        "COMPONENT_KCONFIGS_EXCLUDED_SOURCE_FILE": str(excluded),
        "COMPONENT_KCONFIGS_PROJBUILD_EXCLUDED_SOURCE_FILE": str(excluded),
    }
    for suffix, name in {"": "Kconfig", "_PROJBUILD": "Kconfig.projbuild"}.items():
        listing = folder / f"sources{suffix}"
        lines = (f'source "{path.as_posix()}"\n' for path in sorted(_components(tree, name)))
        listing.write_text("".join(lines), encoding="utf-8")
        wanted[f"COMPONENT_KCONFIGS{suffix}_SOURCE_FILE"] = str(listing)
    return wanted


def _components(tree: Path, name: str) -> Iterator[Path]:
    return tree.glob(f"components/*/{name}")
