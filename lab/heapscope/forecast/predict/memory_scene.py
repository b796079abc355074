"""The things that formulas of parts ask about: configuration, chip, release and demand."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from heapscope.base.errors import InputError
from heapscope.config.config import Config
from heapscope.config.releases import find_release
from heapscope.config.value import Value
from heapscope.forecast.predict.chip_memory import ChipMemory, chip_memory
from heapscope.forecast.predict.demand import Demand
from heapscope.forecast.predict.formula import Number
from heapscope.forecast.predict.library_sizes import library_size
from heapscope.forecast.predict.part_table import NET, Minor, minor_number
from heapscope.memory.layout.chips import load_chip

_HEADER = 4  # of a block of the heap
_SMALLEST = 12
_TCB = 340  # the control block of a task, as heap task tracking shows it on an ESP32-S3
_EXTRA = 512  # stack that every task of the SDK has for printf, but with the small one
_FRAME = 1764  # a received frame: two blocks, as in runs of the SDK with Wi-Fi
_PBUF = 24 + 74  # lwIP's header of a segment, and room for those of the layers below
_RECORD = 13 + 320  # what mbedTLS adds to a record buffer
_ROUNDING = (5, 4)  # the release from which on the allocator rounds large requests up


#: Stands among the links of a state in which Bluetooth is at work.
BLE_WORKS = "ble at work"

_LATEST = 99  # a patch release behind every other

#: The release that the development branch will be.
_NEXT: Minor = (6, 2)


def minor_of_config(config: Config, idf: str | None = None) -> Minor:
    """The release that `idf` names, or else the files, or else the option table that was taken."""
    stated = next((file.version for file in reversed(config.files) if file.version), "")
    for text in (idf or "", stated, config.sdk):
        try:
            name = find_release(text).minor if text else ""
        except InputError:
            continue
        if name:
            return _NEXT if name.startswith("head") else minor_number(name)
    return _NEXT


def line_value(config: Config, name: str) -> Value | None:
    """The value that a line gives to an option which the release does not have; None: none does."""
    setting = config.setting(name)
    if setting is None or config.kind(name) is not None:
        return None
    text = setting.text.strip('"')
    if text in ("y", "n"):
        return text == "y"
    return int(text) if text.isdecimal() else None


_ADDRESSES = 1 << 31  # more than any chip's memory has
#: Bytes of PSRAM where nothing says how much there is: a common module's.
PSRAM_SIZE = 4 << 20


class QueriedValues(dict[str, Value]):
    """Values in place of a configuration's, which remembers the names that it was asked for."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        super().__init__(values)
        self.names: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.names.add(str(name))
        return super().__contains__(name)


def _none_beyond() -> tuple[float, float]:
    return 0.0, 0.0


@dataclass(frozen=True, kw_only=True, eq=False)
class MemoryScene:
    """`links`: what is linked in every state. `instead`: values in place of the configuration's.
    `psram`: bytes on the board; None: unknown. `beyond`: code that SRAM1 has, by code_beyond.
    `defaults`: the configuration that an option's default is of; None: each its own."""

    config: Config
    minor: Minor
    demand: Demand = field(default_factory=Demand)
    links: Collection[str] = ()
    instead: Mapping[str, Value] = field(default_factory=dict)
    psram: int | None = None
    beyond: Callable[[], tuple[float, float]] = _none_beyond
    defaults: Callable[[str], Config | None] | None = None
    _names: dict[str, Number] = field(default_factory=dict, repr=False)

    def value(self, name: str) -> Value | None:
        """The one place where an option's value is read. A component's own option has the value of
        its line, where the release's options do not have it."""
        if name in self.instead:
            return self.instead[name]
        value = self.config.value(name)
        return line_value(self.config, name) if value is None else value

    def linking(self, links: Collection[str]) -> MemoryScene:
        """The same with these linked."""
        return replace(self, links=links, _names={})

    def option(self, name: str) -> Number | None:
        """InputError: no chip's memory can have such a size or count."""
        value = self.value(name)
        if isinstance(value, int) and not 0 <= value < _ADDRESSES:
            raise InputError(
                f"CONFIG_{name}={value}: no memory of a chip has such a size or count",
                remedy=f"mend the line of CONFIG_{name}, or take it out",
            )
        return int(value) if isinstance(value, int) else None

    def default(self, option: str) -> Number | None:
        other = self.defaults(option) if self.defaults is not None else None
        value = (other or self.config).default(option)
        return int(value) if isinstance(value, int) else None

    def library(self, name: str, memory: str) -> Number:
        return library_size(self.config.chip, self.minor, name, memory)

    def on(self, name: str) -> bool:
        return self.value(name) is True

    def number(self, name: str, fallback: int) -> int:
        value = self.option(name)
        return fallback if value is None else int(value)

    def name(self, name: str) -> Number:
        if name not in self._names:
            self._names[name] = _NAMES[name](self)
        return self._names[name]

    @property
    def memory(self) -> ChipMemory:
        """The memory that the chip has with the configuration's cores and options."""
        rtc = self.value("ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP") is not False
        return chip_memory(self.config.chip, self.minor, int(self.name("cores")), rtc)

    @property
    def psram_size(self) -> tuple[int, int]:
        """Bytes of PSRAM that count, and what they may be off: half or twice of what is usual."""
        if not self.on("SPIRAM"):
            return 0, 0
        return (PSRAM_SIZE, PSRAM_SIZE // 2) if self.psram is None else (self.psram, 0)

    @property
    def aggregates(self) -> bool:
        return self.value("ESP_WIFI_AMPDU_RX_ENABLED") is not False

    def block(self, size: Number) -> Number:
        """With the header of the allocator and what heap debugging adds."""
        requested = max(int(size) + 3 & ~3, _SMALLEST) + self._debugging
        return -(-requested // self._step(requested)) * self._step(requested) + _HEADER

    def largest_request(self, taken: Number) -> int:
        """The largest request for which the heap takes no more than this; 0: none."""
        left = int(taken) - _HEADER & ~3
        size = left - left % self._step(left) - self._debugging
        return size if size >= _SMALLEST else 0

    @property
    def _debugging(self) -> int:
        poisons = self.on("HEAP_POISONING_LIGHT") or self.on("HEAP_POISONING_COMPREHENSIVE")
        return 12 * poisons + 4 * self.on("HEAP_TASK_TRACKING")

    def _step(self, size: int) -> int:
        """The allocator rounds a block of this size up to a multiple of it."""
        if self.minor < _ROUNDING or size < 1 << 9:
            return 4
        heap = self.memory.largest
        return 1 << size.bit_length() - 1 - (5 if heap > 256 << 10 else 4)

    def stack(self, size: Number) -> Number:
        return self.block(size + self.name("extra")) + self.name("tcb")


def _tcb(scene: MemoryScene) -> Number:
    pointers = scene.number("FREERTOS_THREAD_LOCAL_STORAGE_POINTERS", 1)
    traced = 8 * scene.on("FREERTOS_USE_TRACE_FACILITY")
    timed = 8 * scene.on("FREERTOS_GENERATE_RUN_TIME_STATS")
    return scene.block(_TCB + 8 * (pointers - 1) + traced + timed)


def _idle(scene: MemoryScene) -> Number:
    checked = scene.on("COMPILER_STACK_CHECK_MODE_ALL") or scene.on(
        "COMPILER_STACK_CHECK_MODE_STRONG"
    )
    size = (
        scene.number("FREERTOS_IDLE_TASK_STACKSIZE", 1536)
        + 256 * checked
        + 320 * scene.on("COMPILER_OPTIMIZATION_NONE")
        + 60 * scene.on("FREERTOS_WATCHPOINT_END_OF_STACK")
    )
    return scene.block(size) + scene.name("tcb")


def _cores(scene: MemoryScene) -> int:
    cores = load_chip(scene.config.chip).data.cores
    return 1 if cores > 1 and scene.on("FREERTOS_UNICORE") else cores


def _record(scene: MemoryScene, side: str, fallback: int) -> int:
    if scene.value("MBEDTLS_ASYMMETRIC_CONTENT_LEN") is False:
        return scene.number("MBEDTLS_SSL_MAX_CONTENT_LEN", 16_384) + _RECORD
    return scene.number(f"MBEDTLS_SSL_{side}_CONTENT_LEN", fallback) + _RECORD


def _connections(scene: MemoryScene) -> int:
    """TCP connections, as many as lwIP takes."""
    requested = scene.demand.tcp + scene.demand.tls
    return min(requested, scene.number("LWIP_MAX_ACTIVE_TCP", 16), _sockets(scene))


def _sockets(scene: MemoryScene) -> int:
    return scene.number("LWIP_MAX_SOCKETS", 10)


def _frames(scene: MemoryScene, window: str) -> int:
    """Frames that the windows of all connections hold; the last one of a window is a part of a
    frame, which takes its bytes alone."""
    return int(scene.name("connections")) * max(1, round(scene.name(window) / scene.name("mss")))


def _tx_frames(scene: MemoryScene) -> int:
    """Frames that wait in the driver: those of the windows; a UDP socket fills all buffers."""
    most = scene.number("ESP_WIFI_DYNAMIC_TX_BUFFER_NUM", 32)
    return most if scene.demand.udp else min(most, _frames(scene, "snd"))


def _rx_frames(scene: MemoryScene) -> int:
    """Frames that wait for the reader: those of windows, as far as a mailbox takes them, of UDP
    mailboxes and of a UDP sender's aggregate, and no more than the driver may hold; 0: without
    limit."""
    most = scene.number("ESP_WIFI_DYNAMIC_RX_BUFFER_NUM", 32) if scene.name("with_wifi") else 0
    aggregate = scene.number("ESP_WIFI_RX_BA_WIN", 6) * bool(scene.demand.udp)
    boxes = scene.demand.udp * scene.number("LWIP_UDP_RECVMBOX_SIZE", 6)
    taken = int(scene.name("connections")) * (scene.number("LWIP_TCP_RECVMBOX_SIZE", 6) + 1)
    requested = min(_frames(scene, "wnd"), taken) + boxes + aggregate * scene.aggregates
    return min(requested, most) if most else requested


def _oos_frames(scene: MemoryScene) -> int:
    """Segments that wait behind a lost one; 0: the window alone limits."""
    most = scene.number("LWIP_TCP_OOSEQ_MAX_PBUFS", 4)
    return min(_frames(scene, "wnd"), most * int(scene.name("connections")) or 1 << 16)


def _rx_frame(scene: MemoryScene) -> Number:
    """With a copy the driver's buffer is free again, and lwIP has the frame in a block of its
    own."""
    frame = scene.name("mss") + 54
    if scene.on("LWIP_L2_TO_L3_COPY"):
        return scene.block(24 + frame)
    return _FRAME if scene.name("with_wifi") else scene.block(frame) + scene.block(28)


def _patch(scene: MemoryScene) -> int:
    """The patch release that was named; a minor alone means its latest."""
    minor, _, patch = scene.config.sdk.removeprefix(".".join(map(str, scene.minor))).rpartition(".")
    return int(patch) if not minor and patch.isdecimal() else _LATEST


_NAMES: Mapping[str, Callable[[MemoryScene], Number]] = {
    "cores": _cores,
    "patch": _patch,
    "tcb": _tcb,
    "idle": _idle,
    "extra": lambda scene: 0 if scene.on("LIBC_NEWLIB_NANO_FORMAT") else _EXTRA,
    "heap_tables": lambda scene: scene.memory.tables,
    "iram_tables": lambda scene: scene.memory.iram_tables,
    "beyond_iram": lambda scene: scene.beyond()[0],
    "perhaps_beyond": lambda scene: scene.beyond()[1],
    "old_fixed": lambda scene: (
        scene.number("ESP32_REV_MIN", 0) >= 3
        or scene.on("ESP32_REV_MIN_3")
        or scene.on("ESP32_REV_MIN_3_1")
    ),
    "wifi_psram": lambda scene: scene.on("SPIRAM_TRY_ALLOCATE_WIFI_LWIP") and scene.on("SPIRAM"),
    "with_wifi": lambda scene: "wifi" in scene.links,
    "with_net": lambda scene: not {"wifi", NET}.isdisjoint(scene.links),
    "ble_works": lambda scene: BLE_WORKS in scene.links,
    "tcp": lambda scene: scene.demand.tcp,
    "udp": lambda scene: min(scene.demand.udp, scene.number("LWIP_MAX_UDP_PCBS", 16)),
    "tls": lambda scene: scene.demand.tls,
    "connections": _connections,
    "mss": lambda scene: max(1, scene.number("LWIP_TCP_MSS", 1440)),
    "segment": lambda scene: scene.block(_PBUF + scene.name("mss")) + scene.block(16),
    "snd": lambda scene: scene.number("LWIP_TCP_SND_BUF_DEFAULT", 5760),
    "wnd": lambda scene: scene.number("LWIP_TCP_WND_DEFAULT", 5760),
    "tx_frames": _tx_frames,
    "rx_frames": _rx_frames,
    "rx_frame": _rx_frame,
    "oos_frames": _oos_frames,
    "tls_in": lambda scene: _record(scene, "IN", 16_384),
    "tls_out": lambda scene: _record(scene, "OUT", 4_096),
    "controller": lambda scene: _has_controller(scene),
    "ble_only": lambda scene: (
        not (scene.on("BTDM_CTRL_MODE_BTDM") or scene.on("BTDM_CTRL_MODE_BR_EDR_ONLY"))
    ),
    "nimble": lambda scene: host_of(scene) == "NimBLE",
    "bluedroid": lambda scene: host_of(scene) == "Bluedroid",
}


def _has_controller(scene: MemoryScene) -> bool:
    """The chip's own controller is built."""
    without = scene.config.chip in ("esp32s2", "esp32p4") or scene.on("BT_CONTROLLER_DISABLED")
    return scene.on("BT_ENABLED") and not without


def host_of(scene: MemoryScene) -> str:
    """The host that is on, "": none. Kconfig's default is Bluedroid."""
    if not scene.on("BT_ENABLED"):
        return ""
    if scene.on("BT_BLUEDROID_ENABLED"):
        return "Bluedroid"
    if scene.on("BT_NIMBLE_ENABLED"):
        return "NimBLE"
    off = scene.value("BT_BLUEDROID_ENABLED") is False
    return "" if off or scene.on("BT_CONTROLLER_ONLY") else "Bluedroid"
