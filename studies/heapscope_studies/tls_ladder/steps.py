"""The seven steps: each has the options of those before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

#: Curves of the server's key exchange that were recorded. The first is the client's first choice,
#: and public logs of the server of 2017 and 2018 show it; later logs do not show one.
CURVES = ("secp521r1", "prime256v1")

#: The published minimal network; names as they are today.
MINIMAL: Mapping[str, int | bool] = {
    "ESP_WIFI_STATIC_RX_BUFFER_NUM": 4,
    "ESP_WIFI_DYNAMIC_TX_BUFFER_NUM": 16,
    "ESP_WIFI_DYNAMIC_RX_BUFFER_NUM": 8,
    "ESP_WIFI_AMPDU_RX_ENABLED": False,
    "LWIP_TCPIP_RECVMBOX_SIZE": 16,
    "LWIP_TCP_SND_BUF_DEFAULT": 6144,
    "LWIP_TCP_WND_DEFAULT": 6144,
    "LWIP_TCP_RECVMBOX_SIZE": 8,
    "LWIP_UDP_RECVMBOX_SIZE": 8,
    "ESP_WIFI_IRAM_OPT": True,
    "ESP_WIFI_RX_IRAM_OPT": True,
    "LWIP_IRAM_OPTIMIZATION": True,
}


@dataclass(frozen=True, kw_only=True)
class Step:
    """`client`, `network`: the captured traces of the TLS client, which {curve} is put into, and of
    wifi and tcpip. `lwip_iram`: lwIP's code is in IRAM (the Wi-Fi code is so by default).
    `iram_from`: TLS blocks of so many bytes go to IRAM; 0: none."""

    key: str
    title: str
    client: str = "tls_study_default_{curve}"
    network: str = "tls_study_net_default"
    cores: int = 2
    rtc: bool = False
    lwip_iram: bool = False
    iram_from: int = 0


_DEFAULT = Step(key="default", title="default, dual core")
_SINGLE = replace(_DEFAULT, key="unicore", title="single core", cores=1)
_OUT = replace(_SINGLE, key="out", title="OUT 2048", client="tls_study_out_{curve}")
_DYNAMIC = replace(
    _OUT, key="dynamic", title="dynamic TLS buffers", client="tls_study_dynamic_{curve}"
)
_NETWORK = replace(
    _DYNAMIC,
    key="network",
    title="minimal network",
    client="tls_study_network_{curve}",
    network="tls_study_net_minimal",
    lwip_iram=True,
)
_RTC = replace(_NETWORK, key="rtc", title="RTC memory as heap", rtc=True)
#: CONFIG_MBEDTLS_IRAM_8BIT_MEM_ALLOC: from the smaller of the record lengths, IN and OUT.
_IRAM = replace(_RTC, key="iram", title="TLS buffers in IRAM", iram_from=min(16384, 2048))

STEPS = (_DEFAULT, _SINGLE, _OUT, _DYNAMIC, _NETWORK, _RTC, _IRAM)

#: Beside them: the dynamic buffers of device/compat/mbedtls, with a client of our own.
OURS = replace(
    _DYNAMIC, key="ours", title="Heapscope's dynamic buffers", client="tls228_rsa_16k_2k_dyn"
)
