"""RAM that a configuration asks for, part by part: whose, of which kind, when, and by what source.

Sizes are those of Kconfig's help, the guides, or measured blocks; a part without a known size is
not guessed: it is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.config.config import Config
from heapscope.predict.config_knobs import enabled, integer
from heapscope.predict.wifi_table import Knobs, chips
from heapscope.rows.figure import figure
from heapscope.rows.row import Row

ALWAYS = "static"  # linked in: code and data
START = "start"  # taken when the component starts, and kept
PEAK = "peak"  # on demand, at most

DRAM, IRAM, SPIRAM = "DRAM", "IRAM", "SPIRAM"
_BLOCK = 1696  # heap block of a static Wi-Fi buffer
_FRAME = 1600
#: Bytes of a TLS record buffer beside its content: its header and room for the cipher. mbedTLS 2.28
#: and 3.5 take blocks of 16,717 bytes for 16,384 (studies/workloads/captured).
_RECORD = 13 + 320
#: Bytes that a TLS client takes at the peak of its handshake beside its record buffers: 42,196 were
#: measured (https_request, IN 16384, OUT 4096), less both.
_HANDSHAKE = 42_196 - (16_384 + _RECORD) - (4_096 + _RECORD)
_DYNAMIC = 22_013  # the same with dynamic buffers and what they free
_KIB = 1024
_GUIDE = "Wi-Fi guide (wifi-performance-and-power-save.rst)"
_MBEDTLS = "docs/en/api-reference/protocols/mbedtls.rst"


@dataclass(frozen=True, kw_only=True)
class Demand:
    """The connections that the program opens at the same time."""

    tcp: int = 1
    udp: int = 0
    tls: int = 0  # sessions, each on a TCP connection of its own


class MemoryPart(Row):
    """Memory that the configuration asks for."""

    component: str = figure("The component that takes it.")
    what: str = figure("The name of the part.")
    kind: str = figure("The memory kind.", choices=(DRAM, IRAM, SPIRAM))
    when: str = figure(
        "static: it is linked in; start: it is taken at start and kept; peak: it is taken on "
        "demand, at most.",
        choices=(ALWAYS, START, PEAK),
    )
    count: int = figure("The number of its blocks.", default=1)
    bytes: int | None = figure(
        "Its size; below 0: it is given back; null: the configuration sets no limit.",
        "B",
        least=None,
    )
    source: str = figure("The source of the figure.")


def taken_of_heap(part: MemoryPart) -> int:
    """Bytes of the available memory, which is internal and serves any request: not of PSRAM, nor of
    the ESP32's IRAM, where TLS may have its records. Elsewhere code in IRAM is taken from it."""
    apart = part.kind == SPIRAM or (part.component == "TLS" and part.kind == IRAM)
    return 0 if apart else part.bytes or 0


def parts_of(config: Config, knobs: Knobs, demand: Demand) -> tuple[MemoryPart, ...]:
    """All that the configuration decides, Wi-Fi being on."""
    return (
        *_wifi(config, knobs),
        *_lwip(config, knobs, demand),
        *_tls(config, demand),
        *_stacks(config),
        *_bluetooth(config),
        *_placement(config),
    )


def _wifi(config: Config, knobs: Knobs) -> Iterator[MemoryPart]:
    dynamic = SPIRAM if enabled(config, "SPIRAM_TRY_ALLOCATE_WIFI_LWIP") else DRAM
    chip = chips()[config.chip]

    def part(
        what: str, when: str, each: int, count: int, source: str, kind: str = DRAM
    ) -> MemoryPart:
        return MemoryPart(
            component="Wi-Fi",
            what=what,
            kind=kind,
            when=when,
            bytes=each * count,
            count=count,
            source=source,
        )

    heap = "espressif/esp-idf issue 11753: blocks of 1,696 bytes"
    yield part("static RX buffers", START, _BLOCK, knobs.static_rx, heap)
    if knobs.tx_static:
        yield part("static TX buffers", START, _BLOCK, knobs.tx_buffers, heap)
    else:
        yield part("dynamic TX buffers", PEAK, _FRAME, knobs.tx_buffers, _GUIDE, dynamic)
    if knobs.dynamic_rx:
        yield part("dynamic RX buffers", PEAK, _FRAME, knobs.dynamic_rx, _GUIDE, dynamic)
    else:
        yield MemoryPart(
            component="Wi-Fi",
            what="dynamic RX buffers, not limited",
            kind=dynamic,
            when=PEAK,
            bytes=None,
            source=_GUIDE,
        )
    if dynamic == SPIRAM:
        queue = integer(config, "ESP_WIFI_CACHE_TX_BUFFER_NUM", 32)
        yield part("TX packets waiting", PEAK, _FRAME, queue, "components/esp_wifi/Kconfig", SPIRAM)
    kconfig = "components/esp_wifi/Kconfig"
    if config.value("ESP_WIFI_DYNAMIC_RX_MGMT_BUFFER") is not True:
        frames = integer(config, "ESP_WIFI_RX_MGMT_BUF_NUM_DEF", 5)
        yield part("management RX buffers", START, 500, frames, kconfig)
    short = integer(config, "ESP_WIFI_MGMT_SBUF_NUM", 32)
    yield part("short management TX buffers", PEAK, 64, short, kconfig)
    if enabled(config, "ESP_WIFI_CSI_ENABLED"):
        yield part("channel state", START, _KIB, knobs.static_rx, kconfig)
    wifi, receive, lwip = chip.iram_kb
    for on, name, size in (
        (knobs.wifi_iram, "Wi-Fi code", wifi),
        (knobs.wifi_rx_iram, "Wi-Fi RX code", receive),
        (knobs.lwip_iram, "lwIP code", lwip),
    ):
        if on:
            yield part(name, ALWAYS, size * _KIB, 1, f"{_GUIDE}; {chip.source}", IRAM)
    if enabled(config, "LWIP_EXTRA_IRAM_OPTIMIZATION"):
        yield part("more lwIP code", ALWAYS, 17 * _KIB, 1, "components/lwip/Kconfig:93", IRAM)
    if enabled(config, "ESP_WIFI_EXTRA_IRAM_OPT"):
        yield part("more Wi-Fi code", ALWAYS, 5 * _KIB, 1, f"{kconfig}:282", IRAM)


def _lwip(config: Config, knobs: Knobs, demand: Demand) -> Iterator[MemoryPart]:
    kind = SPIRAM if enabled(config, "SPIRAM_TRY_ALLOCATE_WIFI_LWIP") else DRAM
    tcp, udp = demand.tcp + demand.tls, demand.udp

    def part(
        what: str, when: str, each: int, count: int, source: str, kind: str = DRAM
    ) -> MemoryPart:
        return MemoryPart(
            component="lwIP",
            what=what,
            kind=kind,
            when=when,
            bytes=each * count,
            count=count,
            source=f"components/lwip/Kconfig{source}",
        )

    if tcp:
        yield part("TCP send buffers", PEAK, knobs.tcp_snd_buf, tcp, ":680", kind)
        yield part("TCP receive windows", PEAK, knobs.tcp_wnd, tcp, "", kind)
        box = integer(config, "LWIP_TCP_RECVMBOX_SIZE", 6)
        yield part("TCP mailboxes", START, 4 * box, tcp, "")
    if udp:
        box = integer(config, "LWIP_UDP_RECVMBOX_SIZE", 6)
        yield part("UDP mailboxes", START, 4 * box, udp, "")
        yield part("packets in UDP mailboxes", PEAK, _FRAME * box, udp, "", kind)
    box = integer(config, "LWIP_TCPIP_RECVMBOX_SIZE", 32)
    yield part("mailbox of the TCP/IP task", START, 4 * box, 1, "")
    if config.value("LWIP_IPV6") is not False:
        yield part("IPv6", START, 2 * _KIB + 7 * _KIB, 1, ":514")
    if config.value("LWIP_IPV4") is not False:
        yield part("IPv4", START, 600 + 6 * _KIB, 1, ":508")


def _tls(config: Config, demand: Demand) -> Iterator[MemoryPart]:
    if not demand.tls:
        return
    incoming, outgoing = _record_lengths(config)
    large = SPIRAM if _tls_in_psram(config, max(incoming, outgoing)) else DRAM
    rest = SPIRAM if enabled(config, "MBEDTLS_EXTERNAL_MEM_ALLOC") else DRAM
    if enabled(config, "MBEDTLS_IRAM_8BIT_MEM_ALLOC"):
        large = IRAM

    def part(what: str, when: str, each: int, kind: str) -> MemoryPart:
        return MemoryPart(
            component="TLS",
            what=what,
            kind=kind,
            when=when,
            bytes=each * demand.tls,
            count=demand.tls,
            source=_MBEDTLS,
        )

    handshake = _HANDSHAKE
    if config.value("MBEDTLS_SSL_KEEP_PEER_CERTIFICATE") is False:
        handshake -= 3_663
    if enabled(config, "MBEDTLS_DYNAMIC_BUFFER"):
        # The lower measured peak has the certificate and configuration freed, the record included.
        free = _DYNAMIC - (16_384 + _RECORD)
        yield part("record while it is read or written", PEAK, max(incoming, outgoing), large)
        yield part("session and handshake", PEAK, min(handshake, free), rest)
        return
    yield part("incoming records", START, incoming, large)
    yield part("outgoing records", START, outgoing, large)
    yield part("session and handshake", PEAK, handshake, rest)


def _record_lengths(config: Config) -> tuple[int, int]:
    """Bytes of both record buffers."""
    if config.value("MBEDTLS_ASYMMETRIC_CONTENT_LEN") is False:
        both = integer(config, "MBEDTLS_SSL_MAX_CONTENT_LEN", 16_384)
        return both + _RECORD, both + _RECORD
    return (
        integer(config, "MBEDTLS_SSL_IN_CONTENT_LEN", 16_384) + _RECORD,
        integer(config, "MBEDTLS_SSL_OUT_CONTENT_LEN", 4_096) + _RECORD,
    )


def _tls_in_psram(config: Config, size: int) -> bool:
    if enabled(config, "MBEDTLS_EXTERNAL_MEM_ALLOC"):
        return True
    follows = enabled(config, "MBEDTLS_DEFAULT_MEM_ALLOC") and enabled(config, "SPIRAM_USE_MALLOC")
    return follows and size > integer(config, "SPIRAM_MALLOC_ALWAYSINTERNAL", 16_384)


def _stacks(config: Config) -> Iterator[MemoryPart]:
    cores = 1 if enabled(config, "FREERTOS_UNICORE") else chips()[config.chip].cores
    external = enabled(config, "FREERTOS_PLACE_TASK_STACKS_IN_EXT_RAM")
    for option, what, fallback, count in (
        ("ESP_MAIN_TASK_STACK_SIZE", "main task", 3584, 1),
        ("FREERTOS_IDLE_TASK_STACKSIZE", "idle tasks", 1536, cores),
        ("FREERTOS_TIMER_TASK_STACK_DEPTH", "FreeRTOS timer task", 2048, 1),
        ("ESP_TIMER_TASK_STACK_SIZE", "esp_timer task", 3584, 1),
        ("ESP_SYSTEM_EVENT_TASK_STACK_SIZE", "event task", 2304, 1),
        ("ESP_IPC_TASK_STACK_SIZE", "IPC tasks", 1024, cores if cores > 1 else 0),
        ("LWIP_TCPIP_TASK_STACK_SIZE", "TCP/IP task", 3072, 1),
        ("FREERTOS_ISR_STACKSIZE", "interrupt stacks", 1536, cores),
    ):
        static = option == "FREERTOS_ISR_STACKSIZE"
        if count:
            yield MemoryPart(
                component="stacks",
                what=what,
                kind=SPIRAM if external and not static else DRAM,
                when=ALWAYS if static else START,
                bytes=integer(config, option, fallback) * count,
                count=count,
                source=f"CONFIG_{option}",
            )


def _bluetooth(config: Config) -> Iterator[MemoryPart]:
    if not enabled(config, "BT_ENABLED"):
        return
    if config.chip == "esp32s2" or enabled(config, "BT_CONTROLLER_DISABLED"):
        return  # a host for someone else's controller: nothing is known of its size
    host = _host(config)
    if config.chip == "esp32":
        size = 40
        if enabled(config, "BTDM_CTRL_MODE_BTDM"):
            size = 120
        elif enabled(config, "BTDM_CTRL_MODE_BR_EDR_ONLY"):
            size = 65
        faq = "espressif/esp-faq docs/en/software-framework/bt/ble.rst"
        yield MemoryPart(
            component="Bluetooth",
            what="controller",
            kind=DRAM,
            when=ALWAYS,
            bytes=size * _KIB,
            source=faq,
        )
        if host == "Bluedroid":
            external = enabled(config, "BT_ALLOCATION_FROM_SPIRAM_FIRST")
            yield MemoryPart(
                component="Bluetooth",
                what="Bluedroid with a GATT server",
                kind=SPIRAM if external else DRAM,
                when=START,
                bytes=(23 + 23) * _KIB,
                source=faq,
            )
        return
    yield MemoryPart(
        component="Bluetooth",
        what=f"controller and {host or 'a host'}, as in its example",
        kind=DRAM,
        when=START,
        bytes=116 * _KIB,
        source="esp-techpedia, RAM usage (release/v5.5): gatt_server, 107 to 122 KB on these chips",
    )
    if enabled(config, "BT_CTRL_RUN_IN_FLASH_ONLY"):
        yield MemoryPart(
            component="Bluetooth",
            what="controller code in flash",
            kind=IRAM,
            when=ALWAYS,
            bytes=-20 * _KIB,
            source="components/bt Kconfig",
        )


def _host(config: Config) -> str:
    """The one that is on, "": none. Kconfig's default is Bluedroid."""
    if enabled(config, "BT_BLUEDROID_ENABLED"):
        return "Bluedroid"
    if enabled(config, "BT_NIMBLE_ENABLED"):
        return "NimBLE"
    none = config.value("BT_BLUEDROID_ENABLED") is False or enabled(config, "BT_CONTROLLER_ONLY")
    return "" if none else "Bluedroid"


def _placement(config: Config) -> Iterator[MemoryPart]:
    if enabled(config, "SPIRAM_USE_MALLOC"):
        reserve = integer(config, "SPIRAM_MALLOC_RESERVE_INTERNAL", 32_768)
        yield MemoryPart(
            component="PSRAM",
            what="internal memory reserved for DMA (still free to requests that ask for it)",
            kind=DRAM,
            when=START,
            bytes=reserve,
            source="CONFIG_SPIRAM_MALLOC_RESERVE_INTERNAL",
        )
