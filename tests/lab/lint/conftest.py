"""Configurations out of a few lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from heapscope.config.config import Config, read_config, settle
from heapscope.config.kconfig.table import Unlike

MakeConfig = Callable[..., Config]


@pytest.fixture
def configure(tmp_path: Path) -> MakeConfig:
    """configure("LWIP_TCP_MSS=1400 SPIRAM=y", chip="esp32"): as a sdkconfig.defaults with these
    lines, or with this whole text where it is one already. Later texts are later files. The
    options are those of the release that has a table."""

    def make(*texts: str, chip: str = "esp32", idf: str = "5.5") -> Config:
        paths = []
        for number, text in enumerate(texts):
            whole = text if text.startswith(("CONFIG_", "{", "#")) else lines(text)
            path = tmp_path / f"sdkconfig.defaults{number or ''}"
            path.write_text(whole, encoding="utf-8")
            paths.append(path)
        config = read_config(paths, chip=chip, sdk=idf)
        table = replace(config.table, unlike=Unlike())
        return settle(config.files, chip=config.chip, sdk=config.sdk, own=table)

    return make


def lines(text: str) -> str:
    return "".join(f"CONFIG_{line}\n" for line in text.split())
