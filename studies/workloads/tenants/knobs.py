"""The options of ESP-IDF that the network's memory follows, with their ESP32 defaults.

Names, defaults and ranges are those of components/esp_wifi/Kconfig and components/lwip/Kconfig of
ESP-IDF v5.5. A comment beside each one says how it acts here; an option that is not listed is not
modelled.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

__all__ = ["Knobs"]


def knob(default: int, low: int, high: int, name: str) -> int:
    built: int = field(default=default, metadata={"range": (low, high), "name": f"CONFIG_{name}"})
    return built


@dataclass(frozen=True, kw_only=True)
class Knobs:
    #: Receive buffers of the hardware, taken when Wi-Fi starts.
    static_rx: int = knob(10, 2, 25, "ESP_WIFI_STATIC_RX_BUFFER_NUM")
    #: Received frames that driver and lwIP hold at once; 0: any number. One more is dropped.
    dynamic_rx: int = knob(32, 0, 128, "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM")
    #: Frames waiting to be sent at once. One more is tried again later.
    dynamic_tx: int = knob(32, 1, 128, "ESP_WIFI_DYNAMIC_TX_BUFFER_NUM")
    #: Frames that come at once, aggregated; 0: each on its own, as without AMPDU RX (Kconfig: 6).
    rx_ba_window: int = knob(0, 0, 64, "ESP_WIFI_RX_BA_WIN")
    #: Management receive buffers, taken when Wi-Fi starts.
    mgmt_rx: int = knob(5, 1, 10, "ESP_WIFI_RX_MGMT_BUF_NUM_DEF")
    #: Short management frames on their way out at once.
    mgmt_short: int = knob(32, 6, 32, "ESP_WIFI_MGMT_SBUF_NUM")
    #: Most that the other side sends without an acknowledgement.
    window: int = knob(5760, 2440, 65535, "LWIP_TCP_WND_DEFAULT")
    #: Most that a connection keeps until it is acknowledged.
    send_buffer: int = knob(5760, 2440, 65535, "LWIP_TCP_SND_BUF_DEFAULT")
    mss: int = knob(1440, 536, 1460, "LWIP_TCP_MSS")
    #: Places in the mailbox of the TCP/IP task, and of a connection.
    tcpip_mailbox: int = knob(32, 6, 64, "LWIP_TCPIP_RECVMBOX_SIZE")
    tcp_mailbox: int = knob(6, 6, 64, "LWIP_TCP_RECVMBOX_SIZE")
    #: Segments that wait for an earlier one, in a connection.
    out_of_order: int = knob(4, 0, 12, "LWIP_TCP_OOSEQ_MAX_PBUFS")
    sockets: int = knob(10, 1, 253, "LWIP_MAX_SOCKETS")
    #: Connections with those that are closed and wait (TIME_WAIT); the oldest of these goes first.
    active_tcp: int = knob(16, 1, 1024, "LWIP_MAX_ACTIVE_TCP")
    #: Half of the time that a closed connection waits, milliseconds.
    msl: int = knob(60000, 1, 2**31, "LWIP_TCP_MSL")
    #: Stack of the TCP/IP task.
    tcpip_stack: int = knob(3072, 2048, 65536, "LWIP_TCPIP_TASK_STACK_SIZE")

    def __post_init__(self) -> None:
        for one in dataclasses.fields(self):
            low, high = one.metadata["range"]
            value = getattr(self, one.name)
            if not low <= value <= high:
                raise ValueError(f"{one.metadata['name']}={value} is not in {low} to {high}")

    @classmethod
    def from_options(cls, options: list[str]) -> Knobs:
        """From CONFIG_NAME=VALUE."""
        names = {one.metadata["name"]: one.name for one in dataclasses.fields(cls)}
        values = {}
        for option in options:
            name, _, value = option.partition("=")
            if name not in names or not value.isdecimal():
                raise ValueError(f"{option}: not NAME=NUMBER with one of {', '.join(names)}")
            values[names[name]] = int(value)
        return cls(**values)

    def config(self) -> str:
        """The options that differ from their defaults, as NAME=VALUE."""
        results = (
            f"{one.metadata['name']}={getattr(self, one.name)}"
            for one in dataclasses.fields(self)
            if getattr(self, one.name) != one.default
        )
        return " ".join(results) or "esp-idf v5.5 defaults"
