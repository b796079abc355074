"""The options of an ESP-IDF at hand: esp-idf-kconfig reads its Kconfig files."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from heapscope.base.child_process import NOTHING, TimeoutExpired, python_module, run
from heapscope.base.errors import InputError
from heapscope.base.extras import command
from heapscope.base.interrupt import scratch_folder
from heapscope.base.printable import printable
from heapscope.config.config import table_of
from heapscope.config.kconfig.table import (
    OptionChoice,
    OptionTable,
    Renamed,
    Symbol,
    Unlike,
    with_symbols,
)
from heapscope.trace.whole import read_whole

_REMEDY = "give the folder of an ESP-IDF checkout: Kconfig and components/ are in it"
_SECONDS = 300  # reading all of ESP-IDF's takes a few
_LIST_MAX = 1 << 20  # bytes of version.cmake, and of a list of old names
_RENAME = re.compile(r"CONFIG_(\w+)[ \t]+(!?)CONFIG_(\w+)", re.ASCII)


def tree_version(tree: Path) -> str:
    """ "5.5.1", out of tools/cmake/version.cmake; "": the tree does not say."""
    file = tree / "tools" / "cmake" / "version.cmake"
    try:
        text = read_whole(file, limit=_LIST_MAX, what="a version", remedy=_REMEDY).text()
    except InputError:
        return ""
    parts = [
        re.search(rf"set\(IDF_VERSION_{part} +([0-9]+)\)", text)
        for part in ("MAJOR", "MINOR", "PATCH")
    ]
    return ".".join(part[1] for part in parts if part is not None)


def tree_table(tree: Path, *, chip: str, sdk: str) -> OptionTable:
    """The tree's options, read as `sdk` reads lines. InputError when esp-idf-kconfig is missing, or
    when the folder is not an ESP-IDF."""
    if importlib.util.find_spec("esp_kconfiglib") is None:
        raise InputError(
            "--idf-tree needs esp-idf-kconfig, which is not installed",
            remedy=f"{command('kconfig')}, or leave --idf-tree out",
        )
    if not (tree / "Kconfig").is_file() or not (tree / "components").is_dir():
        raise _no_tree(tree, "no ESP-IDF")
    answer = _queried(tree.resolve(), chip)
    blank = replace(
        table_of(chip, sdk),
        symbols={},
        choices={},
        renames={},
        elsewhere=frozenset(),
        unlike=Unlike(),
    )
    return with_symbols(
        blank,
        symbols={name: Symbol(*map(_fixed, record)) for name, record in answer["symbols"].items()},
        choices={
            name: OptionChoice(*map(_fixed, record)) for name, record in answer["choices"].items()
        },
        renames=dict(_renames(tree, chip)),
    )


def _fixed(part: Any) -> Any:
    """Lists of JSON as tuples."""
    return tuple(map(_fixed, part)) if isinstance(part, list) else part


def _renames(tree: Path, chip: str) -> Iterator[tuple[str, Renamed]]:
    for end in ("", f".{chip}"):
        for file in sorted(tree.glob(f"components/*/sdkconfig.rename{end}")):
            whole = read_whole(file, limit=_LIST_MAX, what="a list of old names", remedy=_REMEDY)
            for line in whole.data.decode("utf-8", "replace").splitlines():
                match = _RENAME.match(line)
                if match:
                    yield match[1], Renamed(match[3], bool(match[2]))


def _queried(tree: Path, chip: str) -> dict[str, Any]:
    """In another process: Kconfig reads the environment, and reports to the terminal."""
    with scratch_folder() as name:
        folder = Path(name)
        answered = folder / "answer.json"
        worker = python_module("heapscope.config.kconfig_worker", tree / "Kconfig", answered)
        try:
            done = run(
                worker,
                env=os.environ | tree_environment(tree, chip, folder),
                stdin=NOTHING,
                capture_output=True,
                timeout=_SECONDS,
            )
        except TimeoutExpired:
            raise _no_tree(tree, f"Kconfig did not end within {_SECONDS} s") from None
        if not answered.is_file():
            last = done.stderr.strip().splitlines()[-1:] or [b"no answer"]
            raise _no_tree(tree, f"Kconfig: {printable(last[0], limit=300)}")
        answer: dict[str, Any] = json.loads(answered.read_text(encoding="utf-8"))
    if "refused" in answer:
        raise InputError(
            f"{printable(str(tree), limit=400)}: its Kconfig files run a program, and nothing of a "
            f"tree is run: {printable(answer['refused'], limit=200)}",
            remedy="leave --idf-tree out, or give what its build made of them, build/config/"
            "sdkconfig.json",
        )
    if "error" in answer:
        raise _no_tree(tree, f"Kconfig: {printable(answer['error'], limit=300)}")
    return answer


def _no_tree(tree: Path, why: str) -> InputError:
    return InputError(f"{printable(str(tree), limit=400)}: {why}", remedy=_REMEDY)


def tree_environment(tree: Path, chip: str, folder: Path) -> dict[str, str]:
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
        lines = (f'source "{path.as_posix()}"\n' for path in sorted(component_files(tree, name)))
        listing.write_text("".join(lines), encoding="utf-8")
        wanted[f"COMPONENT_KCONFIGS{suffix}_SOURCE_FILE"] = str(listing)
    return wanted


def component_files(tree: Path, name: str) -> Iterator[Path]:
    return tree.glob(f"components/*/{name}")
