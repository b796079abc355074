"""Names that mean a port or a device and not a file, on every system, and what such a name says."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import Literal

from heapscope.base.errors import InputError
from heapscope.base.printable import printable

TARGET = "gdb:"  #: before HOST:PORT of a debugger's server, not a stream
BAUD = 115_200  #: bits a second of ESP-IDF's console

_COM = r"(?:\\\\\.\\)?COM[1-9]\d{0,2}:?(?:@\w+)?"
_PORT = re.compile(_COM + r"|/dev/(?:tty|cu\.|serial/).+", re.IGNORECASE)
_SCHEME = re.compile(r"(?:serial|tcp|udp):.*", re.IGNORECASE | re.DOTALL)
#: Windows opens its device whatever extension such a name has.
_DEVICE = re.compile(r"CON|PRN|AUX|CONIN\$|CONOUT\$|(?:COM|LPT)[1-9¹²³]", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>"|?*\x00-\x1f:]')


def is_port(name: str) -> bool:
    r"""Whether this is a serial port (COM3, \\.\COM12, /dev/ttyUSB0) or a connection (serial:COM3,
    tcp:192.168.4.1:3333, udp:3333). It does not matter whether the port exists, nor on which system
    the question is asked."""
    return bool(_PORT.fullmatch(name) or _SCHEME.fullmatch(name))


@dataclass(frozen=True, kw_only=True)
class PortName:
    """A stream is a file, a pipe, "-". `host` empty: TCP and UDP listen on this machine."""

    kind: Literal["serial", "tcp", "udp", "stream"]
    device: str = ""
    baud: int = BAUD
    host: str = ""
    number: int = 0


def parse_port(text: str) -> PortName:
    """serial:DEVICE@BAUD, tcp:HOST:PORT, tcp:PORT, udp:PORT; DEVICE@BAUD and DEVICE; all else is a
    stream. Raises InputError for an invalid number."""
    scheme, _, rest = text.partition(":") if _SCHEME.fullmatch(text) else ("", "", text)
    scheme = scheme.lower()
    if scheme == "udp":
        return PortName(kind="udp", number=_number(rest, text))
    if scheme == "tcp":
        host, _, number = rest.rpartition(":")
        return PortName(kind="tcp", host=host.strip("[]"), number=_number(number, text))
    if scheme == "serial" or is_port(text):
        device, at, baud = rest.rpartition("@")
        if not at:
            return PortName(kind="serial", device=rest)
        return PortName(kind="serial", device=device, baud=_baud(baud, text))
    return PortName(kind="stream")


def _number(text: str, source: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 1 << 16:
        return int(text)
    raise InputError(
        f"{printable(source)}: '{printable(text)}' is not a port number",
        remedy="write tcp:HOST:PORT, tcp:PORT or udp:PORT with a number from 0 to 65535",
    )


def _baud(text: str, source: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 11 and 0 < int(text) < 1 << 32:
        return int(text)
    raise InputError(
        f"{printable(source)}: '{printable(text)}' is not a speed",
        remedy="write the bits a second behind @: serial:/dev/ttyUSB0@921600",
    )


def refused_by_windows(path: str) -> str:
    """Why Windows would not make a file of this name, as words that follow the name; "" where it
    would, and everywhere else. NUL is the device that takes everything, and may be written to."""
    return _refusal(PureWindowsPath(path).name) if os.name == "nt" else ""


def _refusal(name: str) -> str:
    if _DEVICE.fullmatch(name.partition(".")[0].rstrip(" ")):
        return "is the name of a device on Windows"
    if match := _FORBIDDEN.search(name):
        return f"has {match[0]!r} in it, and no file name on Windows may"
    return ""
