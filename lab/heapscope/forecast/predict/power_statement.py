"""The published statements about power save that hold for a configuration: data/wifi/power.toml."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.config.config import Config
from heapscope.config.evaluate import truth
from heapscope.config.expression import Expression, parse


class PowerStatement(Row):
    """A published statement that holds for the configuration."""

    id: str = figure("Names the statement.")
    say: str = figure("The statement.", heading="Power save")
    source: str = figure("A file of ESP-IDF, below docs/en/api-guides or components.")


@dataclass(frozen=True, kw_only=True)
class _Published:
    when: Expression | None
    statement: PowerStatement


def power_statements(config: Config) -> tuple[PowerStatement, ...]:
    """The statements that hold. One is left out where its release does not tell its condition, and
    all are left out without Wi-Fi."""
    if config.value("ESP_WIFI_ENABLED") is False:
        return ()
    return tuple(
        each.statement for each in _published() if each.when is None or truth(each.when, config)
    )


@functools.cache
def _published() -> tuple[_Published, ...]:
    file = resources.files("heapscope.data") / "wifi" / "power.toml"
    rows = tomllib.loads(file.read_text(encoding="utf-8"))["statement"]
    return tuple(
        _Published(
            when=parse(row["when"]) if "when" in row else None,
            statement=PowerStatement(id=row["id"], say=row["say"], source=row["source"]),
        )
        for row in rows
    )
