"""Sizes of what Wi-Fi and lwIP allocate on a 32-bit chip, in bytes, each with where it is from.

Structures are added up from their fields as ESP-IDF v5.5 declares them at its default options;
pointers, enums and unsigned are 4 bytes. The Wi-Fi driver's own structures are not public: its
buffers are as large as Kconfig and a heap dump say.
"""

from __future__ import annotations

__all__ = [
    "ACK_FRAME",
    "CUSTOM_PBUF",
    "DHCP_FRAME",
    "MESSAGE",
    "MGMT_RX",
    "MGMT_SHORT",
    "NETCONN",
    "SEGMENT",
    "STATIC_RX",
    "TCP_PCB",
    "TIMER",
    "frame",
    "mailbox",
    "ram_pbuf",
    "wifi_buffer",
]


def aligned(size: int) -> int:
    return (size + 3) // 4 * 4


# ---- the Wi-Fi driver ---------------------------------------------------------------------------

#: A static receive buffer: a block of 1696 in a heap dump of a device whose log says "Init static
#: rx buffer size: 1600" (esp-idf issue 11753).
STATIC_RX = 1696

#: "About 500 bytes" each (components/esp_wifi/Kconfig, ESP_WIFI_RX_MGMT_BUF_NUM_DEF).
MGMT_RX = 500

#: Frames below 64 bytes (components/esp_wifi/Kconfig, ESP_WIFI_MGMT_SBUF_NUM).
MGMT_SHORT = 64

ETHERNET = 14
#: The bytes that the driver puts around a frame: a dynamic buffer is sized to its frame, and takes
#: about 1600 for the largest one of 1514 (components/esp_wifi/Kconfig,
#: ESP_WIFI_DYNAMIC_RX_BUFFER_NUM).
AROUND = 1600 - (ETHERNET + 1500)


def wifi_buffer(ethernet: int) -> int:
    """A dynamic buffer for an Ethernet frame of so many bytes."""
    return AROUND + ethernet


# ---- frames -------------------------------------------------------------------------------------

IP, TCP, UDP = 20, 20, 8


def frame(payload: int) -> int:
    """The Ethernet frame of a TCP segment over IPv4."""
    return ETHERNET + IP + TCP + payload


ACK_FRAME = frame(0)
#: struct dhcp_msg: 44 fixed, 64 server name, 128 file, 4 cookie, DHCP_OPTIONS_LEN 68
#: (lwip/prot/dhcp.h).
DHCP_MESSAGE = 44 + 64 + 128 + 4 + 68
DHCP_FRAME = ETHERNET + IP + UDP + DHCP_MESSAGE

# ---- lwIP ---------------------------------------------------------------------------------------

#: struct pbuf (lwip/pbuf.h): next, payload, tot_len and len, type, flags, ref, if_idx.
PBUF = 4 + 4 + 2 + 2 + 1 + 1 + 1 + 1
#: esp_custom_pbuf_t (components/lwip/port/esp32xx/netif/esp_pbuf_ref.c): a pbuf with its free
#: function, esp_netif, l2_buf: refers to a frame that stays in the driver's buffer.
CUSTOM_PBUF = PBUF + 4 + 4 + 4


def ram_pbuf(payload: int) -> int:
    """pbuf_alloc(PBUF_TRANSPORT, payload, PBUF_RAM): the structure, room for the headers
    (PBUF_LINK_HLEN 14, PBUF_IP_HLEN 40 with IPv6, PBUF_TRANSPORT_HLEN 20), the payload."""
    return PBUF + aligned(ETHERNET + 40 + 20) + aligned(payload)


#: struct tcp_seg (lwip/priv/tcp_priv.h): next, p, len, flags, tcphdr.
SEGMENT = 4 + 4 + 4 + 4
#: struct tcp_pcb (lwip/tcp.h) with IPv6, callbacks, keep-alive and queued segments: addresses and
#: options 52, list, state and ports 20, flags and timers 12, receiving 12, round trip 20, sending
#: 52, queues 16, callbacks 24.
TCP_PCB = 52 + 20 + 12 + 12 + 20 + 52 + 16 + 24
#: struct netconn (lwip/api.h): type, state, pcb, error, two mailboxes, callback argument, two
#: timeouts, flags, current message, callback.
NETCONN = 4 + 4 + 4 + 4 + 8 + 4 + 8 + 4 + 4 + 4
#: struct sys_timeo (lwip/timeouts.h): next, time, h, arg.
TIMER = 16
#: struct tcpip_msg (lwip/priv/tcpip_priv.h): type, and p, netif, input_fn.
MESSAGE = 4 + 12

#: Queue_t (components/freertos queue.c): pointers 16, two lists of 20, three counters, two locks
#: and a flag 4, queue set 4, spinlock 8.
QUEUE = 16 + 2 * 20 + 12 + 4 + 4 + 8
#: The same in ESP-IDF 4.2, whose spinlock stands in the place of locks and flag.
QUEUE_42 = 16 + 2 * 20 + 12 + 4 + 8


def mailbox(places: int, *, old: bool = False) -> tuple[int, int]:
    """sys_mbox_new (components/lwip/port/freertos/sys_arch.c): its structure of two pointers, and a
    queue of pointers. `old`: of ESP-IDF 4.2."""
    return 8, (QUEUE_42 if old else QUEUE) + 4 * places
