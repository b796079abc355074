"""docs/reference/measured-effects.md: effects of options on real devices, beside what is predicted.

Rows that the models' constants were taken from agree by themselves: they are marked. Where nothing
is predicted (an application's own options, code sizes that nobody published) the row says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median

from pages import make

from heapscope.config.config import Config, settle
from heapscope.config.value import Value
from heapscope.predict.config_knobs import knobs_of
from heapscope.predict.constants import read_constants
from heapscope.predict.memory import fixed_parts, memory_features
from heapscope.predict.parts import DRAM, PEAK, START, Demand, MemoryPart, parts_of
from heapscope.predict.wifi_table import chips, table

_KIB = 1024
_SDK = "5.5"
_HEAD = """\
# Effects measured on real devices

Options that people changed on a device and what it gave, beside what Heapscope predicts. Nothing
published is edited. "input": the model's constant was taken from this row, or from others of its
source, so that it agrees by itself. "-": nothing is predicted, as the size was never published or
belongs to an application. Differences are predicted less measured. `make generated` makes this page
from `lab/heapscope/data/wifi`.
"""


@dataclass(frozen=True, kw_only=True)
class Effect:
    """`measured` and `predicted` in `unit`; None: there is no such figure. `basis`: why."""

    id: str
    chip: str
    sdk: str
    change: str
    what: str
    unit: str
    measured: float | None
    predicted: float | None
    basis: str
    source: str

    @property
    def difference(self) -> float | None:
        if self.measured is None or self.predicted is None:
            return None
        return self.predicted - self.measured


def effects() -> tuple[Effect, ...]:
    """All rows of data/wifi/effects.csv."""
    return tuple(_effect(row) for row in table("effects"))


def markdown() -> str:
    rows = effects()
    told = [row for row in rows if row.difference is not None]
    honest = [row for row in told if row.basis != "input"]
    off = [abs(row.difference or 0) / abs(row.measured or 1) * 100 for row in honest]
    lines = [
        _HEAD,
        f"{len(rows)} effects; {len(told)} are predicted, {len(told) - len(honest)} of them from "
        f"figures that were inputs. The others are off by {median(off):.0f} % (median of "
        f"{len(honest)}).",
        "",
        "| Id | Chip | SDK | Change | Measured | | Predicted | Difference | Basis | Source |",
        "| --- | --- | --- | --- | ---: | --- | ---: | ---: | --- | --- |",
    ]
    lines += [_line(row) for row in rows]
    return "\n".join(lines) + "\n"


def _line(row: Effect) -> str:
    cells = (
        row.id,
        row.chip,
        row.sdk,
        row.change,
        _figure(row.measured),
        f"{row.unit}, {row.what}",
        _figure(row.predicted),
        _figure(row.difference),
        row.basis,
        row.source,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:+,.0f}" if value else "0"


def _effect(row: Mapping[str, str]) -> Effect:
    predicted, basis = _predicted(row)
    return Effect(
        id=row["id"],
        chip=row["chip"],
        sdk=row["sdk"],
        change=row["change"],
        what=row["measured"],
        unit=row["unit"],
        measured=float(row["delta"]) if row["delta"] else None,
        predicted=predicted,
        basis=basis,
        source=row["source"],
    )


def _predicted(row: Mapping[str, str]) -> tuple[float | None, str]:
    chip = row["chip"].split()[0].removesuffix("-eco7")
    if chip in chips():
        for start, (predict, basis) in _CHANGES.items():
            if row["change"].startswith(start):
                sign = -1 if row["measured"].startswith("used D/IRAM") else 1
                value = predict(chip)
                if chip == "esp32" and start.startswith("empty"):
                    basis = "parts"  # its own controller's size, and not the examples'
                return sign * value / (_KIB if row["unit"] == "KB" else 1), basis
    return None, "-"


def _station(chip: str) -> float:
    """A connected station at rest against an empty program, default options, bytes."""
    constants = read_constants()
    knobs = knobs_of(_config(chip)).knobs
    value = dict(zip(constants.memory_names, constants.memory.theta, strict=True))
    base = memory_features(knobs, cap=constants.shape.cap)
    at_rest = sum(value[name] * by for name, by in base.items() if name.startswith("base."))
    free = at_rest - sum(fixed_parts(knobs).values())
    return float(free - chips()[chip].empty_heap_kb) * _KIB


def _wifi_start(chip: str) -> float:
    parts = _parts(_config(chip), Demand(tcp=0))
    return _sum(part for part in parts if part.component == "Wi-Fi" and part.when == START)


def _bluetooth(options: Mapping[str, Value]) -> Callable[[str], float]:
    def of(chip: str) -> float:
        parts = _parts(_config(chip, {"BT_ENABLED": True, **options}), Demand(tcp=0))
        return -_sum(part for part in parts if part.component == "Bluetooth")

    return of


def _tls(options: Mapping[str, Value], *, when: tuple[str, ...] = (START, PEAK)) -> float:
    parts = _parts(_config("esp32", options), Demand(tcp=0, tls=1))
    return _sum(part for part in parts if part.component == "TLS" and part.when in when)


def _parts(config: Config, demand: Demand) -> tuple[MemoryPart, ...]:
    return parts_of(config, knobs_of(config).knobs, demand)


def _sum(parts: Iterator[MemoryPart]) -> float:
    return float(sum(part.bytes or 0 for part in parts if part.kind == DRAM))


def _config(chip: str, options: Mapping[str, Value] | None = None) -> Config:
    return settle((), chip=chip, sdk=_SDK).changed_to(options or {})


_KEPT: Mapping[str, Value] = {"MBEDTLS_SSL_KEEP_PEER_CERTIFICATE": True}
_BLUEDROID: Mapping[str, Value] = {"BT_BLUEDROID_ENABLED": True, "BTDM_CTRL_MODE_BLE_ONLY": True}
_CONTROLLER: Mapping[str, Value] = {"BT_CONTROLLER_ONLY": True}
_NIMBLE: Mapping[str, Value] = {"BT_NIMBLE_ENABLED": True, "BTDM_CTRL_MODE_BLE_ONLY": True}

#: By how a change begins: what free memory gains, bytes, and what that rests on.
_CHANGES: Mapping[str, tuple[Callable[[str], float], str]] = {
    "empty project -> wifi station": (_station, "ranks and the empty program"),
    "hello_world -> wifi station": (_station, "ranks and the empty program"),
    "empty project -> gatt_server (bluedroid)": (_bluetooth(_BLUEDROID), "input"),
    "empty project -> bleprph (nimble)": (_bluetooth(_NIMBLE), "parts"),
    "empty project -> provisioning (BLE + Wi-Fi)": (
        lambda chip: _station(chip) + _bluetooth(_NIMBLE)(chip),
        "ranks, parts",
    ),
    "BT_CTRL_RUN_IN_FLASH_ONLY=y": (lambda chip: 20.0 * _KIB, "Kconfig's help"),
    "MBEDTLS_SSL_KEEP_PEER_CERTIFICATE=n": (
        lambda chip: _tls({"MBEDTLS_SSL_KEEP_PEER_CERTIFICATE": False}) - _tls(_KEPT),
        "input",
    ),
    "MBEDTLS_DYNAMIC_BUFFER=y": (
        lambda chip: _tls({**_KEPT, "MBEDTLS_DYNAMIC_BUFFER": True}) - _tls(_KEPT),
        "input",
    ),
    "SSL_OUT_CONTENT_LEN 16384 -> 4096": (
        lambda chip: (
            _tls({"MBEDTLS_SSL_OUT_CONTENT_LEN": 4096}, when=(START,))
            - _tls({"MBEDTLS_SSL_OUT_CONTENT_LEN": 16384}, when=(START,))
        ),
        "parts",
    ),
    "esp_wifi softAP example start": (lambda chip: -_wifi_start(chip), "parts"),
    "Wi-Fi station start, SPIRAM off": (lambda chip: -_wifi_start(chip), "parts"),
    "Wi-Fi init": (_wifi_start, "parts"),
    "one TLS socket": (lambda chip: _tls({}, when=(START,)), "parts"),
    "BT controller BLE only": (
        lambda chip: -_bluetooth({"BTDM_CTRL_MODE_BLE_ONLY": True, **_CONTROLLER})(chip),
        "input",
    ),
    "BT controller BR/EDR only": (
        lambda chip: -_bluetooth({"BTDM_CTRL_MODE_BR_EDR_ONLY": True, **_CONTROLLER})(chip),
        "input",
    ),
    "BT controller dual mode": (
        lambda chip: -_bluetooth({"BTDM_CTRL_MODE_BTDM": True, **_CONTROLLER})(chip),
        "input",
    ),
}


if __name__ == "__main__":
    make("docs/reference/measured-effects.md", markdown())
