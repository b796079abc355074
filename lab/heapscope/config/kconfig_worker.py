"""A process of its own that lets esp-idf-kconfig read Kconfig files: it takes settings from the
environment and writes to the terminal as it likes.

    python -m heapscope.config.kconfig_worker KCONFIG ASKED ANSWER RENAMES...

ANSWER gets, as JSON, `values`: name to [type, text], and `renames`: old name to [new name,
inverted]; or `error`, with its text.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any


def answer(kconfig_file: str, asked: str, renames: list[str]) -> dict[str, Any]:
    library: Any = importlib.import_module("esp_kconfiglib.core")
    kinds = {
        library.BOOL: "bool",
        library.INT: "int",
        library.HEX: "hex",
        library.STRING: "string",
    }
    try:
        kconfig = library.Kconfig(kconfig_file)
        kconfig.load_rename_files(renames)
        kconfig.load_config(asked)
        values = {
            symbol.name: [kinds[symbol.orig_type], symbol.str_value]
            for symbol in kconfig.unique_defined_syms
            if symbol.orig_type in kinds
        }
    except (library.KconfigError, OSError, UnicodeDecodeError) as error:
        return {"error": str(error)}
    return {"values": values, "renames": _renames(kconfig.deprecated_options, asked)}


def _renames(old_names: Any, asked: str) -> dict[str, tuple[str, bool]]:
    """Only for the names in the file."""
    found = {}
    for line in Path(asked).read_text(encoding="utf-8").splitlines():
        name = line.removeprefix("# ").removeprefix("CONFIG_").partition("=")[0].split(" ")[0]
        new = old_names.get_new_option(name)
        if new:
            found[name] = (str(new), bool(old_names.is_inversion(name)))
    return found


if __name__ == "__main__":
    source, settings, target, *lists = sys.argv[1:]
    Path(target).write_text(json.dumps(answer(source, settings, lists)), encoding="utf-8")
