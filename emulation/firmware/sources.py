"""The libraries of the firmware: what the studies fetch, and more of lwIP."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

from emulation.places import ROOT, MissingError

__all__ = ["cjson", "lwip", "mbedtls"]

WORKLOADS = ROOT / "studies" / "workloads"
if str(WORKLOADS) not in sys.path:  # its scripts find each other so
    sys.path.append(str(WORKLOADS))

import tools.debian  # noqa: E402
import tools.places  # noqa: E402
import tools.sources  # noqa: E402

LWIP = re.compile(r"^lwip-2\.1\.3[^/]*/src/((?:api|core|netif|include)/.*\.[ch])$")
CJSON = re.compile(r"^cJSON-1\.7\.15/(cJSON\.[ch])$")


@cache
def mbedtls() -> Path:
    """mbedTLS 3.5.1, with its test certificates."""
    try:
        return tools.sources.mbedtls(tools.sources.MBEDTLS_3)
    except tools.places.MissingError as error:
        raise MissingError(str(error)) from error


@cache
def lwip() -> Path:
    """lwIP 2.1.3 with its sequential interfaces."""
    return debian("lwip", "lwip-2.1.3-whole", LWIP, "api/tcpip.c")


@cache
def cjson() -> Path:
    return debian("cjson", "cjson-1.7.15", CJSON, "cJSON.c")


def debian(package: str, release: str, inside: re.Pattern[str], needed: str) -> Path:
    try:
        return tools.debian.unpacked_source(package, release, inside, needed=needed)
    except tools.places.MissingError as error:
        raise MissingError(str(error)) from error
