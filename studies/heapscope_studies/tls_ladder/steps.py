"""The seven steps: each has the options of those before it, which are the paragraphs of
data/tls_ladder_steps.txt."""

from __future__ import annotations

from dataclasses import dataclass, replace

#: Curves of the server's key exchange that were recorded. The first is the client's first choice,
#: and public logs of the server of 2017 and 2018 show it; later logs do not show one.
CURVES = ("secp521r1", "prime256v1")


@dataclass(frozen=True, kw_only=True)
class Step:
    """`client`, `network`: the captured traces of the TLS client, which {curve} is put into, and of
    wifi and tcpip. `paragraphs`: those whose options it has. `iram_from`: TLS blocks of so many
    bytes go to IRAM; 0: none."""

    key: str
    title: str
    client: str = "tls_study_default_{curve}"
    network: str = "tls_study_net_default"
    paragraphs: int = 0
    iram_from: int = 0


_DEFAULT = Step(key="default", title="default, dual core")
_SINGLE = replace(_DEFAULT, key="unicore", title="single core", paragraphs=1)
_OUT = replace(_SINGLE, key="out", title="OUT 2048", client="tls_study_out_{curve}", paragraphs=2)
_DYNAMIC = replace(
    _OUT,
    key="dynamic",
    title="dynamic TLS buffers",
    client="tls_study_dynamic_{curve}",
    paragraphs=3,
)
_NETWORK = replace(
    _DYNAMIC,
    key="network",
    title="minimal network",
    client="tls_study_network_{curve}",
    network="tls_study_net_minimal",
    paragraphs=4,
)
_RTC = replace(_NETWORK, key="rtc", title="RTC memory as heap", paragraphs=5)
#: CONFIG_MBEDTLS_IRAM_8BIT_MEM_ALLOC: from the smaller of the record lengths, IN and OUT.
_IRAM = replace(
    _RTC, key="iram", title="TLS buffers in IRAM", paragraphs=6, iram_from=min(16384, 2048)
)

STEPS = (_DEFAULT, _SINGLE, _OUT, _DYNAMIC, _NETWORK, _RTC, _IRAM)

#: Beside them: the dynamic buffers of device/compat/mbedtls, with a client of our own.
OURS = replace(
    _DYNAMIC, key="ours", title="Heapscope's dynamic buffers", client="tls228_rsa_16k_2k_dyn"
)
