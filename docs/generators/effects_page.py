"""docs/reference/measured-effects.md: effects of options on real devices, beside what is predicted.

Rows that the models' constants were taken from agree by themselves: they are marked. Where nothing
is predicted (an application's own options, code sizes that nobody published) the row says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

from pages import make

from heapscope.config.config import settle
from heapscope.config.value import Value
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import DRAM, MemoryModel
from heapscope.forecast.predict.part_table import (
    APP_MAIN,
    BLE,
    BOOT,
    CONNECTED,
    LOAD,
    PROVISIONING,
    WIFI,
)
from heapscope.forecast.predict.wifi_table import chips, table

_KIB = 1024
Predict = Callable[[str, bool], float]
_SDK = "5.5"
_HEAD = """\
# Effects measured on real devices

Options that people changed on a device and what it gave, beside what Heapscope predicts. Nothing
published is edited. "input": the sum of parts was fitted to this row, or to the program that it is
of, so that it agrees by itself; what it gives for rows that were left out is in
[the figures of predict](predict.md#memory). "-": nothing is predicted, as the size was never
published or belongs to an application. Differences are predicted less measured.
`make generated` makes this page from `lab/heapscope/data/wifi`.
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
    known = [row for row in rows if row.difference is not None]
    honest = [row for row in known if row.basis != "input"]
    off = [abs(row.difference or 0) / abs(row.measured or 1) * 100 for row in honest]
    lines = [
        _HEAD,
        f"{len(rows)} effects; {len(known)} are predicted, {len(known) - len(honest)} of them from "
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
                static = row["measured"].startswith("used D/IRAM")
                sign = (
                    -1
                    if static or row["measured"].startswith(("heap used", "contiguous heap"))
                    else 1
                )
                value = predict(chip, static)
                if chip == "esp32" and start.startswith("empty"):
                    basis = "parts"  # the empty project's figure has IRAM in it
                return sign * value / (_KIB if row["unit"] == "KB" else 1), basis
    return None, "-"


def _model(chip: str, options: Mapping[str, Value], *, tls: int = 0) -> MemoryModel:
    config = settle((), chip=chip, sdk=_SDK).changed_to(options)
    demand = Demand(tcp=0, tls=tls)
    return MemoryModel(
        scene=MemoryScene(config=config, minor=minor_of_config(config), demand=demand)
    )


def _example(
    state: str, options: Mapping[str, Value] | None = None, *, empty: str = APP_MAIN
) -> Predict:
    """An example in a state, against an empty program, default options but for these."""

    def of(chip: str, static: bool) -> float:
        before = _model(chip, {}).free(empty)[DRAM].median
        return _model(chip, options or {}).free(state)[DRAM].median - before

    return of


def _change(
    state: str, before: Mapping[str, Value], after: Mapping[str, Value], *, tls: int = 0
) -> Predict:
    """A change of options, in a state; or of what is linked alone."""

    def of(chip: str, static: bool) -> float:
        now, then = _model(chip, before, tls=tls), _model(chip, after, tls=tls)
        if static:
            now, then = now.linking("wifi", "ble"), then.linking("wifi", "ble")
        return now.difference(then, BOOT if static else state).median

    return of


_KEPT: Mapping[str, Value] = {"MBEDTLS_SSL_KEEP_PEER_CERTIFICATE": True}
_FREED: Mapping[str, Value] = {
    "MBEDTLS_DYNAMIC_BUFFER": True,
    "MBEDTLS_DYNAMIC_FREE_CONFIG_DATA": True,
    "MBEDTLS_DYNAMIC_FREE_CA_CERT": True,
}
_BLUEDROID: Mapping[str, Value] = {"BT_ENABLED": True, "BT_BLUEDROID_ENABLED": True}
_NIMBLE: Mapping[str, Value] = {"BT_ENABLED": True, "BT_NIMBLE_ENABLED": True}
_IN_FLASH: Mapping[str, Value] = {"BT_CTRL_RUN_IN_FLASH_ONLY": True}

#: By how a change begins: what free memory gains, bytes, and what that rests on.
_CHANGES: Mapping[str, tuple[Predict, str]] = {
    "empty project -> wifi station": (_example(CONNECTED), "input"),
    "hello_world -> wifi station": (_example(WIFI), "input"),
    "empty project -> gatt_server (bluedroid)": (_example(BLE, _BLUEDROID), "input"),
    "empty project -> bleprph (nimble)": (_example(BLE, _NIMBLE), "input"),
    "empty project -> provisioning (BLE + Wi-Fi)": (_example(PROVISIONING, _NIMBLE), "input"),
    "BT_CTRL_RUN_IN_FLASH_ONLY=y": (_change(BLE, _NIMBLE, {**_NIMBLE, **_IN_FLASH}), "input"),
    "NEWLIB_NANO_FORMAT=y": (
        _change(CONNECTED, {}, {"LIBC_NEWLIB_NANO_FORMAT": True}),
        "input",
    ),
    "FREERTOS_PLACE_FUNCTIONS_INTO_FLASH=y": (
        _change(CONNECTED, {}, {"FREERTOS_PLACE_FUNCTIONS_INTO_FLASH": True}),
        "input",
    ),
    "RINGBUF_PLACE_FUNCTIONS_INTO_FLASH=y": (
        _change(CONNECTED, {}, {"RINGBUF_PLACE_FUNCTIONS_INTO_FLASH": True}),
        "input",
    ),
    "HEAP_PLACE_FUNCTION_INTO_FLASH=y": (
        _change(CONNECTED, {}, {"HEAP_PLACE_FUNCTION_INTO_FLASH": True}),
        "input",
    ),
    "MBEDTLS_SSL_VARIABLE_BUFFER_LENGTH=y": (
        _change(LOAD, _KEPT, {**_KEPT, "MBEDTLS_SSL_VARIABLE_BUFFER_LENGTH": True}, tls=1),
        "input",
    ),
    "MBEDTLS_SSL_KEEP_PEER_CERTIFICATE=n": (
        _change(LOAD, _KEPT, {"MBEDTLS_SSL_KEEP_PEER_CERTIFICATE": False}, tls=1),
        "input",
    ),
    "MBEDTLS_DYNAMIC_BUFFER=y": (_change(LOAD, _KEPT, {**_KEPT, **_FREED}, tls=1), "input"),
    "SSL_OUT_CONTENT_LEN 16384 -> 4096": (
        _change(
            LOAD,
            {"MBEDTLS_SSL_OUT_CONTENT_LEN": 16384},
            {"MBEDTLS_SSL_OUT_CONTENT_LEN": 4096},
            tls=1,
        ),
        "input",
    ),
    "esp_wifi softAP example start": (_example(WIFI), "parts"),
    "Wi-Fi station start, SPIRAM off": (_example(WIFI), "parts"),
}


if __name__ == "__main__":
    make("docs/reference/measured-effects.md", markdown())
