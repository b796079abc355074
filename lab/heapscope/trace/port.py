"""Names that mean a port or a device and not a file, on every system."""

from __future__ import annotations

import os
import re
from pathlib import PureWindowsPath

_PORT = re.compile(r"(?:\\\\\.\\)?COM[1-9]\d{0,2}:?|/dev/(?:tty|cu\.|serial/).+", re.IGNORECASE)
_SCHEME = re.compile(r"(?:serial|tcp|udp):.+", re.IGNORECASE)
#: Windows opens its device whatever extension such a name has.
_DEVICE = re.compile(r"CON|PRN|AUX|CONIN\$|CONOUT\$|(?:COM|LPT)[1-9¹²³]", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>"|?*\x00-\x1f:]')


def is_port(name: str) -> bool:
    r"""Whether this is a serial port (COM3, \\.\COM12, /dev/ttyUSB0) or a connection (serial:COM3,
    tcp:192.168.4.1:3333, udp:3333). It does not matter whether the port exists, nor on which system
    the question is asked."""
    return bool(_PORT.fullmatch(name) or _SCHEME.fullmatch(name))


def refused_by_windows(path: str) -> str:
    """Why Windows would not make a file of this name, as words that follow the name; "" where it
    would, and everywhere else. NUL is the device that takes everything, and may be written to."""
    return _refusal(PureWindowsPath(path).name) if os.name == "nt" else ""


def _refusal(name: str) -> str:
    if _DEVICE.fullmatch(name.partition(".")[0].rstrip(" ")):
        return "is the name of a device on Windows"
    if found := _FORBIDDEN.search(name):
        return f"has {found[0]!r} in it, and no file name on Windows may"
    return ""
