"""A build of Zephyr: its own configuration, and the names that this gives to the program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_CONFIG_MAX = 4 << 20
_LINE = re.compile(r'^CONFIG_(\w+)=(?:"([^"\n]*)"|(\S+))', re.MULTILINE)
_DOMAINS = "domains.yaml"
_DEFAULT = re.compile(r"^default:\s*([\w.-]+)\s*$", re.MULTILINE)


def zephyr_config(folder: Path) -> Path | None:
    """The .config of the program in a build folder, in its folder zephyr, or in the folder of the
    image that sysbuild has as its default; None: the build is not one of Zephyr."""
    configs = [folder / "zephyr" / ".config", folder / ".config"]
    default = _DEFAULT.search(_text(folder / _DOMAINS))
    if default is not None:
        configs.insert(0, folder / default[1] / "zephyr" / ".config")
    programs = (path for path in configs if "KERNEL_BIN_NAME" in zephyr_values(path))
    return next(programs, None)


def zephyr_values(config: Path) -> Mapping[str, str]:
    """Its options that are set, without quotes."""
    return {match[1]: match[2] or match[3] or "" for match in _LINE.finditer(_text(config))}


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_CONFIG_MAX).decode("utf-8", "replace")
    except OSError:
        return ""
