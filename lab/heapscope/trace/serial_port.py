"""Serial ports, by pyserial, which is an extra."""

from __future__ import annotations

import importlib
from typing import Any

from heapscope.errors import InputError
from heapscope.extras import command
from heapscope.trace.names import printable


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
        raise InputError(
            f"{shown}: cannot be opened: {printable(str(error), limit=200)}",
            remedy="is it plugged in, free, and yours to read?",
        ) from None
