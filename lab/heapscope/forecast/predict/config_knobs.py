"""The knobs of a configuration, as the models take them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapscope.base.errors import InputError
from heapscope.config.config import Config
from heapscope.forecast.predict.software import year_of
from heapscope.forecast.predict.wifi_table import NO_PSRAM, Knobs, chips

_VERSION = re.compile(r"v?([0-9]{1,3})\.([0-9]{1,3})")
_CLOCKS = (40, 80, 120, 160, 240)
#: Values where the release has no such option, or the option is hidden.
_FALLBACKS = {
    "ESP_WIFI_STATIC_RX_BUFFER_NUM": 10,
    "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM": 32,
    "ESP_WIFI_STATIC_TX_BUFFER_NUM": 16,
    "ESP_WIFI_DYNAMIC_TX_BUFFER_NUM": 32,
    "ESP_WIFI_RX_BA_WIN": 6,
    "ESP_WIFI_TX_BA_WIN": 6,
    "LWIP_TCP_SND_BUF_DEFAULT": 5760,
    "LWIP_TCP_WND_DEFAULT": 5760,
}


@dataclass(frozen=True, kw_only=True)
class KnobsRead:
    """`notes`: what was taken to be so."""

    knobs: Knobs
    notes: tuple[str, ...]


#: How names of a component's options begin.
WIFI_OPTIONS, NET_OPTIONS = ("ESP_WIFI_", "ESP32_WIFI_"), ("LWIP_",)


def enabled(config: Config, name: str) -> bool:
    return config.value(name) is True


def integer(config: Config, name: str, fallback: int = 0) -> int:
    value = config.value(name)
    known = isinstance(value, int) and not isinstance(value, bool)
    return int(value) if known and value is not None else fallback


def has_wifi(config: Config) -> bool:
    """The chip has it, and the build of the configuration does."""
    off = config.value("ESP_WIFI_ENABLED") is False or config.lacks(*WIFI_OPTIONS)
    return config.chip in chips() and not off


def knobs_of(config: Config, *, idf: str | None = None, psram: bool = True) -> KnobsRead:
    """`idf`: the SDK's version as the user gave it; None: as the files say. `psram`: the board has
    what the configuration has on. InputError where the chip has no Wi-Fi of its own, or a value
    cannot be."""
    if config.chip not in chips():
        raise InputError(
            f"{config.chip} has no Wi-Fi of its own: nothing is known of its throughput",
            remedy=f"chips with figures: {', '.join(chips())}",
        )
    notes: list[str] = []
    kind = _psram(config, notes) if psram else NO_PSRAM
    static = enabled(config, "ESP_WIFI_STATIC_TX_BUFFER")
    tx = "ESP_WIFI_STATIC_TX_BUFFER_NUM" if static else "ESP_WIFI_DYNAMIC_TX_BUFFER_NUM"
    aggregated = config.value("ESP_WIFI_AMPDU_RX_ENABLED") is not False
    sends_aggregated = config.value("ESP_WIFI_AMPDU_TX_ENABLED") is not False
    knobs = Knobs(
        chip=config.chip,
        psram=kind,
        static_rx=_count(config, "ESP_WIFI_STATIC_RX_BUFFER_NUM", least=1),
        dynamic_rx=_count(config, "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM"),
        tx_buffers=_count(config, tx, least=1),
        tx_static=static,
        rx_ba_win=_count(config, "ESP_WIFI_RX_BA_WIN") if aggregated else 0,
        tcp_snd_buf=_count(config, "LWIP_TCP_SND_BUF_DEFAULT", least=1),
        tcp_wnd=_count(config, "LWIP_TCP_WND_DEFAULT", least=1),
        wifi_iram=config.value("ESP_WIFI_IRAM_OPT") is not False,
        wifi_rx_iram=config.value("ESP_WIFI_RX_IRAM_OPT") is not False,
        lwip_iram=enabled(config, "LWIP_IRAM_OPTIMIZATION"),
        icache_kb=_cache(config, "INSTRUCTION"),
        dcache_kb=_cache(config, "DATA"),
        mhz=_mhz(config),
        tx_ba_win=_count(config, "ESP_WIFI_TX_BA_WIN") if sends_aggregated else 0,
        single_core=enabled(config, "FREERTOS_UNICORE") and chips()[config.chip].cores > 1,
        optimized=enabled(config, "COMPILER_OPTIMIZATION_PERF"),
        core_locking=enabled(config, "LWIP_TCPIP_CORE_LOCKING"),
        year=_year(config, idf),
    )
    return KnobsRead(knobs=knobs, notes=tuple(notes))


def _count(config: Config, name: str, *, least: int = 0) -> int:
    value = integer(config, name, _FALLBACKS[name])
    if value < least:
        setting = config.setting(name)
        where = f"{setting.file}, line {setting.line}: " if setting and setting.line else ""
        raise InputError(
            f"{where}CONFIG_{name}={value}",
            remedy=f"give {least} or more; `heapscope lint` says why",
        )
    return value


def _psram(config: Config, notes: list[str]) -> str:
    """Which of the chip's tables its ceilings are of."""
    kinds = chips()[config.chip].psram
    if not enabled(config, "SPIRAM"):
        return NO_PSRAM
    if len(kinds) == 1:
        notes.append(f"{config.chip} has no PSRAM: CONFIG_SPIRAM is left aside")
        return NO_PSRAM
    if not enabled(config, "SPIRAM_TRY_ALLOCATE_WIFI_LWIP"):
        notes.append(
            "PSRAM is on, but Wi-Fi and lwIP do not allocate in it; the tables with PSRAM are of "
            "firmware where they do"
        )
    octal = enabled(config, "SPIRAM_MODE_OCT") and "octal" in kinds
    return "octal" if octal else "quad"


def _cache(config: Config, what: str) -> int:
    for size in (0, 8, 16, 32, 64):
        if enabled(config, f"{config.chip.upper()}_{what}_CACHE_{size}KB"):
            return size
    return 0


def _mhz(config: Config) -> int:
    fastest = chips()[config.chip].mhz
    for clock in _CLOCKS:
        if enabled(config, f"ESP_DEFAULT_CPU_FREQ_MHZ_{clock}"):
            return clock
    return fastest


def _year(config: Config, idf: str | None) -> float:
    stated = next((file.version for file in reversed(config.files) if file.version), "")
    match = _VERSION.match(idf or stated or config.sdk)
    return year_of(None if match is None else (int(match[1]), int(match[2])))
