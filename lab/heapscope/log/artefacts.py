"""Figures that do not mean what they say: known faults of programs that print them."""

from __future__ import annotations

#: An untouched region of the ESP32 reports one of these as its largest block, by version; light
#: poisoning takes 12 bytes off it. 113,840 bytes is its largest region.
_UNTOUCHED = frozenset(size - less for size in (110_592, 113_792) for less in (0, 12))
_WORD16 = 1 << 16


def unwrapped(largest: int, free: int | None, words: str) -> int | None:
    """The largest block behind one that a program kept in 16 bits, as programs for the ESP8266 do;
    None: nothing shows that. `words`: the line."""
    if free is None or largest >= _WORD16 or "max" not in words.lower():
        return None
    whole = largest + _WORD16
    return whole if whole in _UNTOUCHED and whole <= free else None
