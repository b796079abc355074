"""Which options can give memory back in a configuration, and by which documents.

Windows of TCP are not among them: in the published tables they go with the buffers, so that nobody
can tell what they alone take. Stacks are not either: what a task needs shows on the device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from heapscope.config.config import Config
from heapscope.config.kconfig.table import is_since
from heapscope.config.value import Value
from heapscope.forecast.predict.config_knobs import enabled, integer
from heapscope.forecast.predict.wifi_table import Knobs, chips, ranks

_KIB = 1024
ALWAYS, START, PEAK = "static", "start", "peak"
DRAM, IRAM = "DRAM", "IRAM"
#: Heap blocks that may be a static buffer: by the guide, and as found in a device's heap.
STATIC_BUFFER = (1600, 1696)
RECORD = 13 + 320  # of a TLS record buffer beside its content
_GUIDE = "ESP-IDF Wi-Fi guide (wifi-performance-and-power-save.rst)"
_MBEDTLS = "ESP-IDF docs/en/api-reference/protocols/mbedtls.rst (https_request, v5.0 to v6.0)"
_SUMMED = "80 % band of the sum of parts"
_DOCUMENTED = "smallest and largest documented size"
_EXACT = "length of a buffer"
_MEASURED = "one measurement"
#: Code in IRAM by Kconfig's help, KB; the guide has other figures (wifi_table.Chip.iram_kb).
_BY_KCONFIG = {"wifi_iram": 10, "wifi_rx_iram": 17, "lwip_iram": 10}
_SESSION = "for each TLS session"


@dataclass(frozen=True, kw_only=True)
class KnobChange:
    """A change of options before it becomes a KnobOffer; the fields mean the same. `gain` None: the
    sum of parts gives it. `dropped`: options whose lines are removed with it."""

    key: str
    text: str
    values: Mapping[str, Value]
    memory: str
    when: str
    basis: str
    source: str
    gain: int | None = None
    low: int | None = None
    high: int | None = None
    price: str = ""
    dropped: tuple[str, ...] = ()

    def applied(self, config: Config) -> Config:
        return config.without(self.dropped).changed_to(self.values)


def changes(config: Config, knobs: Knobs) -> Iterator[KnobChange]:
    """All that is possible from here, in no order."""
    yield from _buffers(config, knobs)
    yield from _code(config, knobs)
    yield from _tls(config)
    yield from _bluetooth(config)


# ---- Wi-Fi ---------------------------------------------------------------------------------------


def _buffers(config: Config, knobs: Knobs) -> Iterator[KnobChange]:
    fewer = _half(knobs, "static_rx")
    if fewer is not None:
        window = min(knobs.rx_ba_win, 2 * fewer)
        yield _static(
            "static_rx", "ESP_WIFI_STATIC_RX_BUFFER_NUM", "static RX", knobs.static_rx, fewer,
            _window(knobs, window),
        )  # fmt: skip
    fewer = _half(knobs, "tx_buffers")
    if fewer is not None and knobs.tx_static:
        yield _static(
            "static_tx", "ESP_WIFI_STATIC_TX_BUFFER_NUM", "static TX", knobs.tx_buffers, fewer, {}
        )
    elif fewer is not None:
        yield KnobChange(
            key="dynamic_tx",
            text=f"Dynamic TX buffers: {fewer} instead of {knobs.tx_buffers}.",
            values={"ESP_WIFI_DYNAMIC_TX_BUFFER_NUM": fewer},
            memory=DRAM,
            when=PEAK,
            basis=_SUMMED,
            source="the table of parts (data/memory/parts.csv)",
        )
    fewer = _half(knobs, "dynamic_rx")
    if fewer is not None and not enabled(config, "SPIRAM_TRY_ALLOCATE_WIFI_LWIP"):
        yield KnobChange(
            key="dynamic_rx",
            text=f"Dynamic RX buffers: {fewer} instead of {knobs.dynamic_rx}.",
            values={
                "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM": fewer,
                **_window(knobs, min(knobs.rx_ba_win, fewer)),
            },
            memory=DRAM,
            when=PEAK,
            basis=_SUMMED,
            source="the table of parts (data/memory/parts.csv)",
        )


def _half(knobs: Knobs, name: str) -> int | None:
    """Half as many, but at least as many as the published rank of the chip that has fewest. None:
    that would not be fewer than now."""
    now = int(getattr(knobs, name))
    own = [row.knobs for row in ranks() if row.knobs.chip == knobs.chip] or [
        row.knobs for row in ranks()
    ]
    if name == "tx_buffers":
        own = [each for each in own if each.tx_static == knobs.tx_static]
    least = min((int(getattr(each, name)) for each in own), default=now)
    fewer = max(least, now // 2)
    return fewer if fewer < now else None


def _window(knobs: Knobs, window: int) -> Mapping[str, Value]:
    """The block ack window, where it has to follow."""
    return {"ESP_WIFI_RX_BA_WIN": window} if window < knobs.rx_ba_win else {}


def _static(
    key: str, option: str, what: str, now: int, fewer: int, others: Mapping[str, Value]
) -> KnobChange:
    by_guide, result = STATIC_BUFFER
    return KnobChange(
        key=key,
        text=f"{what[0].upper()}{what[1:]} buffers: {fewer} instead of {now}.",
        values={option: fewer, **others},
        memory=DRAM,
        when=START,
        gain=(now - fewer) * result,
        low=(now - fewer) * by_guide,
        high=(now - fewer) * result,
        basis=_DOCUMENTED,
        source=f"{_GUIDE}: 1,600 bytes; espressif/esp-idf issue 11753: blocks of 1,696 bytes",
    )


def _code(config: Config, knobs: Knobs) -> Iterator[KnobChange]:
    """Code that can stay in flash. The ESP32's IRAM is not malloc's."""
    chip = chips()[config.chip]
    rows = (
        ("wifi_iram", "ESP_WIFI_IRAM_OPT", "Wi-Fi code", knobs.wifi_iram),
        ("wifi_rx_iram", "ESP_WIFI_RX_IRAM_OPT", "Wi-Fi RX code", knobs.wifi_rx_iram),
        ("lwip_iram", "LWIP_IRAM_OPTIMIZATION", "lwIP code", knobs.lwip_iram),
    )
    for (key, option, what, on), size in zip(rows, chip.iram_kb, strict=True):
        if not on:
            continue
        sizes = (size, _BY_KCONFIG[key])
        yield KnobChange(
            key=key,
            text=f"{what} in flash instead of IRAM.",
            values={option: False},
            memory=IRAM if config.chip == "esp32" else DRAM,
            when=ALWAYS,
            gain=size * _KIB,
            low=min(sizes) * _KIB,
            high=max(sizes) * _KIB,
            basis=_DOCUMENTED,
            source=f"{chip.source}; Kconfig's help of CONFIG_{option}",
        )


# ---- TLS, Bluetooth ------------------------------------------------------------------------------


def _tls(config: Config) -> Iterator[KnobChange]:
    if enabled(config, "MBEDTLS_EXTERNAL_MEM_ALLOC"):
        return  # none of it is internal memory
    measured = is_since(config.sdk, "5.0")  # the figures are of 5.x, and so are the options
    if measured and config.value("MBEDTLS_SSL_KEEP_PEER_CERTIFICATE") is True:
        yield KnobChange(
            key="tls_peer",
            text=f"The peer's certificate is freed after the handshake ({_SESSION}).",
            values={"MBEDTLS_SSL_KEEP_PEER_CERTIFICATE": False},
            memory=DRAM,
            when=PEAK,
            gain=3_663,
            basis=_MEASURED,
            source=_MBEDTLS,
            price="the program cannot read the peer's certificate afterwards",
        )
    if enabled(config, "MBEDTLS_DYNAMIC_BUFFER"):
        return
    if measured:
        yield KnobChange(
            key="tls_dynamic",
            text=f"Record buffers only while a record is read or written ({_SESSION}).",
            values={
                "MBEDTLS_DYNAMIC_BUFFER": True,
                "MBEDTLS_DYNAMIC_FREE_CONFIG_DATA": True,
                "MBEDTLS_DYNAMIC_FREE_CA_CERT": True,
            },
            memory=DRAM,
            when=PEAK,
            gain=20_183,
            basis=_MEASURED,
            source=_MBEDTLS,
            price="more heap calls; credentials have to be set again before a reconnect",
        )
    asymmetric = config.value("MBEDTLS_ASYMMETRIC_CONTENT_LEN") is True
    name = "MBEDTLS_SSL_OUT_CONTENT_LEN" if asymmetric else "MBEDTLS_SSL_MAX_CONTENT_LEN"
    now = integer(config, name, 4_096 if asymmetric else 16_384)
    if now > 2_048:
        more: dict[str, Value] = {"MBEDTLS_SSL_OUT_CONTENT_LEN": 2_048}
        price = "longer writes go out as several records"
        if config.given("MBEDTLS_SSL_MAX_CONTENT_LEN"):
            price += "; the line CONFIG_MBEDTLS_SSL_MAX_CONTENT_LEN goes"
        if not asymmetric:
            more = {
                "MBEDTLS_ASYMMETRIC_CONTENT_LEN": True,
                "MBEDTLS_SSL_IN_CONTENT_LEN": now,
                **more,
            }
        yield KnobChange(
            key="tls_out",
            text=f"Outgoing TLS records of 2,048 instead of {now:,} bytes ({_SESSION}).",
            values=more,
            memory=DRAM,
            when=START,
            gain=now - 2_048,
            low=now - 2_048,
            high=now - 2_048,
            basis=_EXACT,
            source="components/mbedtls/Kconfig",
            price=price,
            dropped=("MBEDTLS_SSL_MAX_CONTENT_LEN",),
        )


def _bluetooth(config: Config) -> Iterator[KnobChange]:
    if not enabled(config, "BT_ENABLED"):
        return
    if config.chip == "esp32" and enabled(config, "BTDM_CTRL_MODE_BTDM"):
        yield KnobChange(
            key="bt_ble_only",
            text="Bluetooth Low Energy alone, without Classic.",
            values={"BTDM_CTRL_MODE_BLE_ONLY": True},
            memory=DRAM,
            when=ALWAYS,
            gain=80 * _KIB,
            basis=_DOCUMENTED,
            source="espressif/esp-faq docs/en/software-framework/bt/ble.rst: 120 and 40 KB",
            price="no Bluetooth Classic",
        )
    if config.chip == "esp32c3" and config.value("BT_CTRL_RUN_IN_FLASH_ONLY") is False:
        yield KnobChange(
            key="bt_flash",
            text="Code of the Bluetooth controller in flash.",
            values={"BT_CTRL_RUN_IN_FLASH_ONLY": True},
            memory=DRAM,
            when=ALWAYS,
            gain=19_362,
            low=18_028,
            high=23_080,
            basis="three measurements of one change",
            source="espressif/esp-matter docs/en/optimizations.rst, ESP32-C3, ESP-IDF 5.4.1",
            price="a slower controller",
        )
