"""Serial ports, by pyserial, which is an extra."""

from __future__ import annotations

import errno
import importlib
import os
from typing import Any

from heapscope.base.errors import InputError
from heapscope.base.extras import command
from heapscope.base.printable import printable

_MISSING = (errno.ENOENT, errno.ENODEV, errno.ENXIO)
_TAKEN = (errno.EACCES, errno.EPERM, errno.EBUSY)


def open_serial(name: str, baud: int, *, shown: str, instead: str, wait: float | None) -> Any:
    """An open port. `shown`: its name in messages; `instead`: what works without pyserial; `wait`:
    seconds that a read waits, None: without end. InputError: it cannot be opened."""
    try:
        serial = importlib.import_module("serial")
    except ModuleNotFoundError:
        raise InputError(
            f"{shown}: a serial port needs pyserial, which is not installed",
            remedy=f"{command('serial')}, or {instead}",
        ) from None
    try:
        return serial.Serial(name, baud, timeout=wait)
    except (OSError, ValueError) as error:  # SerialException is an OSError
        raise _cannot(shown, error) from None


def _cannot(shown: str, error: OSError | ValueError) -> InputError:
    """Without the library's own words where the system says why. On Windows they alone have it."""
    number, text = getattr(error, "errno", None), str(error)
    if number in _MISSING or "FileNotFoundError" in text:
        return InputError(f"{shown}: no such port", remedy="is it plugged in, and named so?")
    if number in _TAKEN or "PermissionError" in text:
        return InputError(
            f"{shown}: another program has it, or it is not yours to read",
            remedy="end the other one, a serial monitor; on Linux the group dialout may read it",
        )
    why = os.strerror(number) if number else printable(text, limit=200)
    return InputError(f"{shown}: cannot be opened: {why}", remedy="is it a serial port, and free?")
